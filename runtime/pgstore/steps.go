package pgstore

import (
	"encoding/binary"
	"errors"

	"github.com/jackc/pgx/v5/pgtype"

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

// storedSteps are the steps of a row in progress. They and the epoch are never null; where one is, what was done is not known.
func storedSteps(epoch pgtype.Int8, encoded []byte) ([]runtime.StepResult, error) {
	steps, err := decodeSteps(encoded)
	switch {
	case !epoch.Valid:
		err = errors.New("there is no epoch")
	case encoded == nil:
		err = errSteps
	}
	if err != nil {
		return nil, runtime.Explain("the stored steps cannot be read", err)
	}
	return steps, nil
}

// epochOf is a stored epoch. A row that has lost it had one worker at least; the statements that take it over count so too.
func epochOf(epoch pgtype.Int8) int64 {
	if !epoch.Valid {
		return 1
	}
	return epoch.Int64
}

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
