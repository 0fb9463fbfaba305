package example

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// members are an object's, in the order in which they are written.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

// membersOf reads an object.
func membersOf(text json.RawMessage) (members, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	start, err := decoder.Token()
	if err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object")
	}
	var o members
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		o = append(o, member{name.(string), value})
	}
	return o, nil
}

// json writes the object.
func (o members) json() (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// itemsOf reads an array.
func itemsOf(text json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	err := json.Unmarshal(text, &items)
	return items, err
}
