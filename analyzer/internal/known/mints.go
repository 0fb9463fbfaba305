package known

import "go/types"

// Quality says how a value is made. The words are those of keyflow.Quality.
type Quality = string

// Qualities of minted values.
const (
	random  Quality = "random"
	ordered Quality = "ordered"
	weak    Quality = "weak"
	clock   Quality = "clock"
	counter Quality = "counter"
	derived Quality = "derived"
)

// minters have their value in their first result.
var minters = map[string]Quality{
	"github.com/google/uuid.New":                 random,
	"github.com/google/uuid.NewString":           random,
	"github.com/google/uuid.NewRandom":           random,
	"github.com/google/uuid.NewRandomFromReader": random,
	"github.com/google/uuid.NewUUID":             ordered,
	"github.com/google/uuid.NewV6":               ordered,
	"github.com/google/uuid.NewV7":               ordered,
	"github.com/google/uuid.NewV7FromReader":     ordered,
	"github.com/google/uuid.NewDCEGroup":         ordered,
	"github.com/google/uuid.NewDCEPerson":        ordered,
	"github.com/google/uuid.NewDCESecurity":      ordered,
	"github.com/google/uuid.NewSHA1":             derived,
	"github.com/google/uuid.NewMD5":              derived,
	"github.com/google/uuid.NewHash":             derived,

	"github.com/gofrs/uuid.NewV1":       ordered,
	"github.com/gofrs/uuid.NewV3":       derived,
	"github.com/gofrs/uuid.NewV4":       random,
	"github.com/gofrs/uuid.NewV5":       derived,
	"github.com/gofrs/uuid.NewV6":       ordered,
	"github.com/gofrs/uuid.NewV7":       ordered,
	"github.com/gofrs/uuid.NewV8":       derived,
	"github.com/gofrs/uuid.Gen.NewV1":   ordered,
	"github.com/gofrs/uuid.Gen.NewV4":   random,
	"github.com/gofrs/uuid.Gen.NewV6":   ordered,
	"github.com/gofrs/uuid.Gen.NewV7":   ordered,
	"github.com/gofrs/uuid.NewV1AtTime": ordered,
	"github.com/gofrs/uuid.NewV6AtTime": ordered,
	"github.com/gofrs/uuid.NewV7AtTime": ordered,

	"github.com/hashicorp/go-uuid.GenerateUUID":                  random,
	"github.com/hashicorp/go-uuid.GenerateUUIDWithReader":        random,
	"github.com/hashicorp/go-uuid.GenerateRandomBytes":           random,
	"github.com/hashicorp/go-uuid.GenerateRandomBytesWithReader": random,

	"github.com/satori/go.uuid.NewV1": ordered,
	"github.com/satori/go.uuid.NewV3": derived,
	"github.com/satori/go.uuid.NewV4": random,
	"github.com/satori/go.uuid.NewV5": derived,

	"github.com/pborman/uuid.New":       random,
	"github.com/pborman/uuid.NewRandom": random,
	"github.com/pborman/uuid.NewUUID":   ordered,
	"github.com/pborman/uuid.NewSHA1":   derived,
	"github.com/pborman/uuid.NewMD5":    derived,

	"github.com/hashicorp/terraform-plugin-sdk/helper/id.UniqueId":               ordered,
	"github.com/hashicorp/terraform-plugin-sdk/helper/id.PrefixedUniqueId":       ordered,
	"github.com/hashicorp/terraform-plugin-sdk/helper/resource.UniqueId":         ordered,
	"github.com/hashicorp/terraform-plugin-sdk/helper/resource.PrefixedUniqueId": ordered,

	"github.com/oklog/ulid.New":            ordered,
	"github.com/oklog/ulid.MustNew":        ordered,
	"github.com/oklog/ulid.MustNewDefault": ordered,
	"github.com/oklog/ulid.Make":           ordered,
	"github.com/oklog/ulid.Now":            clock,
	"github.com/rs/xid.New":                ordered,
	"github.com/rs/xid.NewWithTime":        ordered,

	"github.com/segmentio/ksuid.New":               ordered,
	"github.com/segmentio/ksuid.NewRandom":         ordered,
	"github.com/segmentio/ksuid.NewRandomWithTime": ordered,

	"github.com/matoous/go-nanoid.New":          random,
	"github.com/matoous/go-nanoid.Must":         random,
	"github.com/matoous/go-nanoid.Generate":     random,
	"github.com/matoous/go-nanoid.MustGenerate": random,

	"github.com/lithammer/shortuuid.New":              random,
	"github.com/lithammer/shortuuid.NewWithAlphabet":  random,
	"github.com/lithammer/shortuuid.NewWithEncoder":   random,
	"github.com/lithammer/shortuuid.NewWithNamespace": derived,

	"github.com/ThreeDotsLabs/watermill.NewUUID":             random,
	"github.com/ThreeDotsLabs/watermill.NewShortUUID":        random,
	"github.com/ThreeDotsLabs/watermill.NewULID":             ordered,
	"github.com/stripe/stripe-go.NewIdempotencyKey":          random,
	"github.com/aws/smithy-go/rand.UUID.GetUUID":             random,
	"go.mongodb.org/mongo-driver/bson.NewObjectID":           ordered,
	"go.mongodb.org/mongo-driver/bson/primitive.NewObjectID": ordered,
	"k8s.io/apimachinery/pkg/util/uuid.NewUUID":              random,
	"k8s.io/apimachinery/pkg/util/rand.String":               weak,

	"crypto/rand.Int":   random,
	"crypto/rand.Prime": random,
	"crypto/rand.Text":  random,

	"math/rand.ExpFloat64": weak, "math/rand.Float32": weak, "math/rand.Float64": weak, "math/rand.Int": weak, "math/rand.Int31": weak,
	"math/rand.Int31n": weak, "math/rand.Int63": weak, "math/rand.Int63n": weak, "math/rand.Intn": weak, "math/rand.NormFloat64": weak,
	"math/rand.Uint32": weak, "math/rand.Uint64": weak, "math/rand.Perm": weak,
	"math/rand.Rand.Float64": weak, "math/rand.Rand.Int": weak, "math/rand.Rand.Int31": weak, "math/rand.Rand.Int31n": weak, "math/rand.Rand.Int63": weak,
	"math/rand.Rand.Int63n": weak, "math/rand.Rand.Intn": weak, "math/rand.Rand.Uint32": weak, "math/rand.Rand.Uint64": weak, "math/rand.Rand.Perm": weak,
	// math/rand/v2 shares the rows of math/rand; these names are its own.
	"math/rand.Int32": weak, "math/rand.Int32N": weak, "math/rand.Int64": weak, "math/rand.Int64N": weak, "math/rand.IntN": weak, "math/rand.N": weak,
	"math/rand.Uint": weak, "math/rand.Uint32N": weak, "math/rand.Uint64N": weak, "math/rand.UintN": weak,
	"math/rand.Rand.Int32": weak, "math/rand.Rand.Int32N": weak, "math/rand.Rand.Int64": weak, "math/rand.Rand.Int64N": weak, "math/rand.Rand.IntN": weak,
	"math/rand.Rand.Uint": weak, "math/rand.Rand.Uint32N": weak, "math/rand.Rand.Uint64N": weak, "math/rand.Rand.UintN": weak,

	"time.Now":   clock,
	"time.Since": clock,
	"time.Until": clock,

	"sync/atomic.AddInt32": counter, "sync/atomic.AddInt64": counter, "sync/atomic.AddUint32": counter, "sync/atomic.AddUint64": counter,
	"sync/atomic.Int32.Add": counter, "sync/atomic.Int64.Add": counter, "sync/atomic.Uint32.Add": counter, "sync/atomic.Uint64.Add": counter,

	"crypto/md5.Sum": derived, "crypto/sha1.Sum": derived, "crypto/sha256.Sum224": derived, "crypto/sha256.Sum256": derived,
	"crypto/sha512.Sum384": derived, "crypto/sha512.Sum512": derived, "crypto/sha512.Sum512_224": derived, "crypto/sha512.Sum512_256": derived,
	"hash.Hash.Sum": derived, "hash.Hash32.Sum32": derived, "hash.Hash64.Sum64": derived,
	"hash/crc32.ChecksumIEEE": derived, "github.com/cespare/xxhash.Sum64": derived, "github.com/cespare/xxhash.Sum64String": derived,
}

// Mint tells whether a function gives a value that is new at every call, which of its results that is and how it is made. A function that makes the same value of the same input (a version 5 UUID, a hash) is told as "derived": it mints nothing, and [PassesThrough] says from which arguments.
func Mint(fn *types.Func) (result int, quality Quality, ok bool) {
	quality, ok = minters[ID(fn)]
	if !ok && isClock(fn) {
		return 0, clock, true
	}
	return 0, quality, ok
}

// isClock sees the clocks that programs hand around to be set in tests: a method Now that gives a time, of whatever type.
func isClock(fn *types.Func) bool {
	if fn == nil || fn.Name() != "Now" {
		return false
	}
	signature, ok := fn.Type().(*types.Signature)
	return ok && signature.Recv() != nil && signature.Params().Len() == 0 && signature.Results().Len() == 1 && typeID(signature.Results().At(0).Type()) == "time.Time"
}

// fillers write random bytes into their argument.
var fillers = map[string]struct {
	buffer, source int
	quality        Quality
}{
	"crypto/rand.Read":    {0, none, random},
	"math/rand.Read":      {0, none, weak},
	"math/rand.Rand.Read": {0, none, weak},
	"io.ReadFull":         {1, 0, random},
	"io.ReadAtLeast":      {1, 0, random},
}

// none stands for no argument.
const none = -2

// MintsInto tells which argument a function fills with random bytes. io.ReadFull does so only when [MintSource] is the reader of crypto/rand.
func MintsInto(fn *types.Func) (arg int, quality Quality, ok bool) {
	filler, ok := fillers[ID(fn)]
	return filler.buffer, filler.quality, ok
}

// MintSource tells which argument of a function of [MintsInto] must be a random reader ([IsRandomReader]) for the bytes to be random. ok is false when the function alone says it.
func MintSource(fn *types.Func) (arg int, ok bool) {
	filler, ok := fillers[ID(fn)]
	return filler.source, ok && filler.source != none
}

// IsRandomReader reports whether a package-level variable is crypto/rand's reader.
func IsRandomReader(v *types.Var) bool {
	return v != nil && v.Pkg() != nil && v.Pkg().Path() == "crypto/rand" && v.Name() == "Reader"
}
