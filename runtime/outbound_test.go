package runtime_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/runtime"
)

// A3: the key of a call that has no header, since it travels in the body, is not put into one without a name, which net/http
// would refuse to send.
func TestOutbound_A3_SetHeaders(t *testing.T) {
	out := runtime.NewOutbound("pay", runtime.DownstreamKey{Name: "bank", Key: "k1"}, runtime.DownstreamKey{Name: "mail", Header: "Mail-Key", Key: "k2"})
	header := http.Header{}
	out.SetHeaders(header)
	if got := fmt.Sprint(header); got != "map[Mail-Key:[k2]]" {
		t.Error(got)
	}
}
