package runtime

import (
	"cmp"
	"net/http"
	"strings"
)

const jsonType = "application/json"

// stripeShape is the error object of Stripe's API (https://docs.stripe.com/api/errors): a type out of a few, a code, a
// message.
func stripeShape(p *Problem) (string, []byte) {
	type object struct {
		Type    string `json:"type"`
		Code    string `json:"code,omitempty"`
		Message string `json:"message"`
	}
	kind := "invalid_request_error"
	if p.status() >= http.StatusInternalServerError {
		kind = "api_error"
	}
	return jsonType, encoded(struct {
		Error object `json:"error"`
	}{object{Type: p.providerWord(kind), Code: p.Code, Message: p.Error()}})
}

// adyenShape is ServiceError of Adyen's Checkout API (github.com/Adyen/adyen-openapi, json/CheckoutService-v71.json, whose
// examples have the types security and validation; docs.adyen.com/development-resources/error-codes). The error code is the
// policy's, such as 704 for a request in progress, which is from third-party copies. There is no pspReference, which names a
// payment.
func adyenShape(p *Problem) (string, []byte) {
	kind := "validation"
	switch status := p.status(); {
	case status >= http.StatusInternalServerError:
		kind = "internal"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		kind = "security"
	}
	return jsonType, encoded(struct {
		Status    int    `json:"status"`
		ErrorCode string `json:"errorCode,omitempty"`
		Message   string `json:"message"`
		ErrorType string `json:"errorType"`
	}{p.status(), p.Code, p.Error(), p.providerWord(kind)})
}

// squareShape is the list of errors of Square's API (github.com/square/connect-api-specification, api.json: Error,
// ErrorCategory, ErrorCode). IDEMPOTENCY_KEY_REUSED is in its list of codes; which of the other codes belongs to which case of
// a key is not documented, and is this project's choice out of that list.
func squareShape(p *Problem) (string, []byte) {
	type object struct {
		Category string `json:"category"`
		Code     string `json:"code"`
		Detail   string `json:"detail"`
	}
	status := p.status()
	category := "INVALID_REQUEST_ERROR"
	switch {
	case status >= http.StatusInternalServerError:
		category = "API_ERROR"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		category = "AUTHENTICATION_ERROR"
	case status == http.StatusTooManyRequests:
		category = "RATE_LIMIT_ERROR"
	}
	code := cmp.Or(p.Code, squareKinds[p.kind], squareStatuses[status])
	if code == "" {
		code = squareStatuses[status/100*100]
	}
	return jsonType, encoded(struct {
		Errors []object `json:"errors"`
	}{[]object{{Category: p.providerWord(category), Code: code, Detail: p.Error()}}})
}

// The words of Square's ErrorCode: for a kind of problem, for a status, and for a class of statuses under its first.
var (
	squareKinds = map[string]string{
		ProblemMissingKey:   "MISSING_REQUIRED_PARAMETER",
		ProblemMalformedKey: "INVALID_VALUE",
		ProblemKeyReused:    "IDEMPOTENCY_KEY_REUSED",
	}
	squareStatuses = map[int]string{
		http.StatusUnauthorized:          "UNAUTHORIZED",
		http.StatusForbidden:             "FORBIDDEN",
		http.StatusNotFound:              "NOT_FOUND",
		http.StatusConflict:              "CONFLICT",
		http.StatusRequestEntityTooLarge: "REQUEST_ENTITY_TOO_LARGE",
		http.StatusUnsupportedMediaType:  "UNSUPPORTED_MEDIA_TYPE",
		http.StatusUnprocessableEntity:   "UNPROCESSABLE_ENTITY",
		http.StatusTooManyRequests:       "RATE_LIMITED",
		http.StatusServiceUnavailable:    "SERVICE_UNAVAILABLE",
		http.StatusBadRequest:            "BAD_REQUEST",
		http.StatusInternalServerError:   "INTERNAL_SERVER_ERROR",
	}
)

// awsShape is an error of the AWS JSON protocols (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html, "Operation
// error serialization"): a __type, which clients take the error's name from, and a message. The EC2 API, which documents
// IdempotentParameterMismatch, answers in XML, which an API described by OpenAPI seldom does; the names of the other cases
// are those that all of AWS's APIs have in common ("Common errors" of their references), and ConflictException, which many
// have.
func awsShape(p *Problem) (string, []byte) {
	otherwise := "ValidationError"
	switch status := p.status(); {
	case status == http.StatusServiceUnavailable:
		otherwise = "ServiceUnavailable"
	case status >= http.StatusInternalServerError:
		otherwise = "InternalFailure"
	case status == http.StatusConflict:
		otherwise = "ConflictException"
	case status == http.StatusRequestEntityTooLarge:
		otherwise = "RequestEntityTooLargeException"
	case status == http.StatusForbidden:
		otherwise = "AccessDeniedException"
	case status == http.StatusUnauthorized:
		otherwise = "NotAuthorized"
	}
	return jsonType, encoded(struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{cmp.Or(p.Code, p.providerWord(""), awsKinds[p.kind], otherwise), p.Error()})
}

var awsKinds = map[string]string{
	ProblemMissingKey:   "MissingParameter",
	ProblemMalformedKey: "InvalidParameterValue",
	ProblemKeyReused:    "IdempotentParameterMismatch",
	ProblemExpired:      "RequestExpired",
}

// paypalShape is the error of PayPal's REST APIs (github.com/paypal/paypal-rest-api-specifications, openapi/
// checkout_orders_v2.json: error_400 to error_503, each with its name and message; error_details): details have the case as an
// issue, and are for errors below 500. PAYPAL_REQUEST_ID_REQUIRED is documented there; an issue that a policy does not name
// is otherwise the runtime's own word. There is a debug_id where the problem has an extension of this name.
func paypalShape(p *Problem) (string, []byte) {
	type detail struct {
		Issue       string `json:"issue"`
		Description string `json:"description"`
	}
	type object struct {
		Name    string   `json:"name"`
		Message string   `json:"message"`
		DebugID string   `json:"debug_id,omitempty"`
		Details []detail `json:"details,omitempty"`
	}
	status := p.status()
	words, ok := paypalStatuses[status]
	if !ok {
		words = paypalStatuses[status/100*100]
	}
	body := object{Name: p.providerWord(words.name), Message: words.message}
	body.DebugID, _ = p.Extensions["debug_id"].(string)
	issue := cmp.Or(p.Code, paypalKinds[p.kind], strings.ToUpper(strings.ReplaceAll(p.kind, "-", "_")))
	if status < http.StatusInternalServerError && issue != "" {
		body.Details = []detail{{Issue: issue, Description: p.Error()}}
	} else {
		body.Message = p.Error()
	}
	return jsonType, encoded(body)
}

var paypalKinds = map[string]string{
	ProblemMissingKey: "PAYPAL_REQUEST_ID_REQUIRED",
}

// paypalStatuses are PayPal's names and messages, by status; those of a class stand under its first.
var paypalStatuses = map[int]struct{ name, message string }{
	http.StatusBadRequest:           {"INVALID_REQUEST", "Request is not well-formed, syntactically incorrect, or violates schema."},
	http.StatusUnauthorized:         {"AUTHENTICATION_FAILURE", "Authentication failed due to missing authorization header, or invalid authentication credentials."},
	http.StatusForbidden:            {"NOT_AUTHORIZED", "Authorization failed due to insufficient permissions."},
	http.StatusNotFound:             {"RESOURCE_NOT_FOUND", "The specified resource does not exist."},
	http.StatusConflict:             {"RESOURCE_CONFLICT", "The server has detected a conflict while processing this request."},
	http.StatusUnsupportedMediaType: {"UNSUPPORTED_MEDIA_TYPE", "The server does not support the request payload's media type."},
	http.StatusUnprocessableEntity:  {"UNPROCESSABLE_ENTITY", "The requested action could not be performed, semantically incorrect, or failed business validation."},
	http.StatusInternalServerError:  {"INTERNAL_SERVER_ERROR", "An internal server error occurred."},
	http.StatusServiceUnavailable:   {"SERVICE_UNAVAILABLE", "Service Unavailable."},
}
