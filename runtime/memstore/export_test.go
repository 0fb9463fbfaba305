package memstore

// Held is the number of records in memory, expired ones included.
func (s *Store) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.records)
}
