package profiletest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// CreatePayment is the operation of the small document.
const CreatePayment = "createPayment"

// smallDocument is an OpenAPI document with one operation, whose body has room for the key where the profile has it there.
func smallDocument(profile string, mode policy.Mode) (string, error) {
	known, err := policy.LoadProfile(profile)
	if err != nil {
		return "", err
	}
	members := []string{
		"amount: {type: integer, format: int64, examples: [4200]}",
		"currency: {type: string, examples: [EUR]}",
	}
	mediaType := "application/json"
	text := func(member string) string {
		value, _ := known.Find(member)
		var text string
		_ = json.Unmarshal(value.Value, &text)
		return text
	}
	required := "amount, currency"
	switch policy.Location(text("key.in")) {
	case policy.InBody:
		name := strings.TrimPrefix(text("key.pointer"), "/")
		members = append(members, name+": {type: string}")
		required += ", " + name
	case policy.InForm:
		mediaType = "application/x-www-form-urlencoded"
		members = append(members, text("key.name")+": {type: string}")
		required += ", " + text("key.name")
	}
	decision := "{mode: transaction}"
	if mode == policy.LeaseMode {
		decision = "{mode: lease, steps: [book]}"
	}
	return fmt.Sprintf(`openapi: 3.1.0
info: {title: Payments, version: "1"}
x-idempotency: {version: 1, profile: %s}
paths:
  /payments:
    post:
      operationId: %s
      summary: Make a payment
      x-idempotency: %s
      requestBody:
        required: true
        content:
          %s:
            schema:
              type: object
              required: [%s]
              properties:
                %s
      responses:
        "201":
          description: The payment was made.
          headers: {Location: {schema: {type: string}}}
          content: {application/json: {schema: {type: object}}}
        "402":
          description: The payment was declined.
          content: {application/json: {schema: {type: object}}}
`, profile, CreatePayment, decision, mediaType, required, strings.Join(members, "\n                ")), nil
}
