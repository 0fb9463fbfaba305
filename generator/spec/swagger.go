package spec

func (l *loading) convert() {}
