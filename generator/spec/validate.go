package spec

func (l *loading) validate(ops []*operation) {}
