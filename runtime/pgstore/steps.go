package pgstore

import (
	"encoding/binary"
	"errors"

	"github.com/idemgen/idemgen/runtime"
)

// encodeSteps writes names and results in turn, each after its length as a varint. The encoding of more steps begins with
// that of the first of them, which is what advanceSQL compares.
func encodeSteps(steps []runtime.StepResult) []byte {
	size := 0
	for _, step := range steps {
		size += len(step.Name) + len(step.Result) + 2*binary.MaxVarintLen32
	}
	encoded := make([]byte, 0, size)
	for _, step := range steps {
		encoded = appendBytes(appendBytes(encoded, step.Name), step.Result)
	}
	return encoded
}

var errSteps = errors.New("the stored steps are damaged")

func decodeSteps(encoded []byte) ([]runtime.StepResult, error) {
	var steps []runtime.StepResult
	for len(encoded) > 0 {
		name, rest, ok := cutBytes(encoded)
		if !ok {
			return nil, errSteps
		}
		result, rest, ok := cutBytes(rest)
		if !ok {
			return nil, errSteps
		}
		steps = append(steps, runtime.StepResult{Name: string(name), Result: result})
		encoded = rest
	}
	return steps, nil
}
