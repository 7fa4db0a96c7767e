package ship

// Verify compares a pack with a world as Make does.
func Verify(w World, o Options, data []byte) error {
	m, err := prepare(w, o)
	if err != nil {
		return err
	}
	return m.verify(data)
}
