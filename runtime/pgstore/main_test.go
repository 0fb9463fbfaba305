package pgstore_test

import (
	"flag"
	"os"
	goruntime "runtime"
	"strconv"
	"testing"
)

// TestMain lets more tests run at a time than there are processors, unless -parallel says otherwise: those that are parallel
// wait for the database, and for leases to be over.
func TestMain(m *testing.M) {
	flag.Parse()
	const many = 8
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(min(many, goruntime.GOMAXPROCS(0))) {
		if err := flag.Set("test.parallel", strconv.Itoa(many)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
