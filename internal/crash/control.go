//go:build unix

package crash

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// command is what the service is told to do when it says where it is. The zero value is: go on.
type command struct {
	Cut      FaultKind     `json:"cut,omitempty"`
	Fraction float64       `json:"fraction,omitempty"`
	Delay    time.Duration `json:"delay,omitempty"`   // of each write to the database
	Lasting  time.Duration `json:"lasting,omitempty"` // how long
}

// control is the service's end of the line to its director.
type control struct {
	url    string // "" where nobody wants to know
	victim int
	client *http.Client
	wire   *wire
}

// at says that the request with the given key is at point, and does as it is told. It does not return while the director
// wants the request to stay there, nor ever when the process is killed there.
func (c *control) at(key string, point Point) {
	if c.url == "" || point == "" {
		return
	}
	query := url.Values{"victim": {strconv.Itoa(c.victim)}, "key": {key}, "point": {string(point)}}
	do := c.tell("/at?" + query.Encode())
	if do.Cut != "" {
		query.Set("cut", string(do.Cut))
		c.wire.arm(key, cut{kind: do.Cut, fraction: do.Fraction, done: func() { go c.tell("/cut?" + query.Encode()) }})
	}
	if do.Delay > 0 {
		c.wire.slow(do.Delay, do.Lasting)
	}
}

// tell tells the director something, and returns what it answers. Where it has gone, so has whoever counts.
func (c *control) tell(what string) (do command) {
	resp, err := c.client.Get(c.url + what)
	if err != nil {
		return command{}
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&do); err != nil {
		return command{}
	}
	return do
}
