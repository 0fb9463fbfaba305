package known

import (
	"go/types"
	"slices"
)

// receiver stands for the receiver among arguments.
const receiver = -1

// through lists the arguments whose value a function's first result is made of and can be told apart by: what is fresh, a time or personal in them is so in the result. The parameter of a variadic function stands for all that is given to it.
var through = map[string][]int{
	"strings.Clone": {0}, "strings.ReplaceAll": {0, 2}, "strings.Replace": {0, 2}, "strings.ToLower": {0}, "strings.ToUpper": {0}, "strings.ToTitle": {0},
	"strings.Title": {0}, "strings.Trim": {0}, "strings.TrimLeft": {0}, "strings.TrimPrefix": {0}, "strings.TrimRight": {0}, "strings.TrimSpace": {0},
	"strings.TrimSuffix": {0}, "strings.Join": {0, 1}, "strings.Repeat": {0}, "strings.Map": {1}, "strings.Builder.String": {receiver}, "strings.Split": {0},
	"bytes.Buffer.String": {receiver}, "bytes.Buffer.Bytes": {receiver}, "bytes.Clone": {0}, "bytes.Join": {0, 1}, "bytes.ToLower": {0},

	"strconv.Itoa": {0}, "strconv.FormatInt": {0}, "strconv.FormatUint": {0}, "strconv.FormatFloat": {0}, "strconv.Quote": {0},
	"strconv.AppendInt": {0, 1}, "strconv.AppendUint": {0, 1},

	"fmt.Sprint": {0}, "fmt.Sprintf": {0, 1}, "fmt.Sprintln": {0}, "fmt.Append": {0, 1}, "fmt.Appendf": {0, 1, 2},

	"encoding/hex.EncodeToString":             {0},
	"encoding/hex.AppendEncode":               {0, 1},
	"encoding/base64.Encoding.EncodeToString": {receiver, 0},
	"encoding/base32.Encoding.EncodeToString": {receiver, 0},
	"encoding/json.Marshal":                   {0},
	"net/url.QueryEscape":                     {0},
	"net/url.PathEscape":                      {0},
	"net/url.URL.String":                      {receiver},
	"math/big.Int.String":                     {receiver},
	"math/big.Int.Text":                       {receiver},
	"math/big.Int.Int64":                      {receiver},
	"math/big.Int.Uint64":                     {receiver},
	"math/big.NewInt":                         {0},

	"time.Time.Add": {receiver}, "time.Time.AddDate": {receiver}, "time.Time.AppendFormat": {receiver, 0}, "time.Time.Clock": {receiver}, "time.Time.Date": {receiver},
	"time.Time.Day": {receiver}, "time.Time.Format": {receiver}, "time.Time.GoString": {receiver}, "time.Time.In": {receiver}, "time.Time.Local": {receiver},
	"time.Time.Nanosecond": {receiver}, "time.Time.Round": {receiver}, "time.Time.String": {receiver}, "time.Time.Truncate": {receiver}, "time.Time.UTC": {receiver},
	"time.Time.Unix": {receiver}, "time.Time.UnixMicro": {receiver}, "time.Time.UnixMilli": {receiver}, "time.Time.UnixNano": {receiver}, "time.Time.YearDay": {receiver},
	"time.Duration.String": {receiver}, "time.Duration.Nanoseconds": {receiver}, "time.Duration.Milliseconds": {receiver},

	"sync/atomic.Int32.Load": {receiver}, "sync/atomic.Int64.Load": {receiver}, "sync/atomic.Uint32.Load": {receiver}, "sync/atomic.Uint64.Load": {receiver},

	"github.com/google/uuid.Must":               {0},
	"github.com/google/uuid.MustParse":          {0},
	"github.com/google/uuid.Parse":              {0},
	"github.com/google/uuid.FromBytes":          {0},
	"github.com/google/uuid.UUID.String":        {receiver},
	"github.com/google/uuid.UUID.URN":           {receiver},
	"github.com/google/uuid.UUID.MarshalText":   {receiver},
	"github.com/google/uuid.UUID.MarshalBinary": {receiver},
	"github.com/google/uuid.UUID.ID":            {receiver},
	"github.com/google/uuid.NewSHA1":            {0, 1},
	"github.com/google/uuid.NewMD5":             {0, 1},
	"github.com/google/uuid.NewHash":            {1, 2},

	"github.com/gofrs/uuid.Must":              {0},
	"github.com/gofrs/uuid.FromString":        {0},
	"github.com/gofrs/uuid.FromStringOrNil":   {0},
	"github.com/gofrs/uuid.FromBytes":         {0},
	"github.com/gofrs/uuid.FromBytesOrNil":    {0},
	"github.com/gofrs/uuid.UUID.String":       {receiver},
	"github.com/gofrs/uuid.UUID.Bytes":        {receiver},
	"github.com/gofrs/uuid.NewV3":             {0, 1},
	"github.com/gofrs/uuid.NewV5":             {0, 1},
	"github.com/gofrs/uuid.NewV8":             {0, 1, 2},
	"github.com/hashicorp/go-uuid.FormatUUID": {0},

	"github.com/oklog/ulid.ULID.String":               {receiver},
	"github.com/oklog/ulid.ULID.Bytes":                {receiver},
	"github.com/oklog/ulid.MustParse":                 {0},
	"github.com/oklog/ulid.Parse":                     {0},
	"github.com/oklog/ulid.Timestamp":                 {0},
	"github.com/rs/xid.ID.String":                     {receiver},
	"github.com/rs/xid.ID.Bytes":                      {receiver},
	"github.com/rs/xid.FromString":                    {0},
	"github.com/segmentio/ksuid.KSUID.String":         {receiver},
	"github.com/segmentio/ksuid.KSUID.Bytes":          {receiver},
	"github.com/segmentio/ksuid.Parse":                {0},
	"github.com/lithammer/shortuuid.NewWithNamespace": {0},
	"go.mongodb.org/mongo-driver/bson.ObjectID.Hex":   {receiver},

	"crypto/md5.Sum": {0}, "crypto/sha1.Sum": {0}, "crypto/sha256.Sum224": {0}, "crypto/sha256.Sum256": {0},
	"crypto/sha512.Sum384": {0}, "crypto/sha512.Sum512": {0}, "crypto/sha512.Sum512_224": {0}, "crypto/sha512.Sum512_256": {0},
	"hash.Hash.Sum": {receiver, 0}, "hash.Hash32.Sum32": {receiver}, "hash.Hash64.Sum64": {receiver},
	"hash/crc32.ChecksumIEEE": {0}, "github.com/cespare/xxhash.Sum64": {0}, "github.com/cespare/xxhash.Sum64String": {0},

	"github.com/stripe/stripe-go.String":         {0},
	"github.com/stripe/stripe-go.StringValue":    {0},
	"github.com/aws/aws-sdk-go-v2/aws.String":    {0},
	"github.com/aws/aws-sdk-go-v2/aws.ToString":  {0},
	"github.com/aws/smithy-go/ptr.String":        {0},
	"github.com/aws/smithy-go/ptr.ToString":      {0},
	"github.com/IBM/sarama.StringEncoder.Encode": {receiver},
	"google.golang.org/protobuf/proto.String":    {0},
	"k8s.io/utils/ptr.To":                        {0},
	"k8s.io/utils/ptr.Deref":                     {0, 1},
}

// PassesThrough tells which arguments' freshness the first result of a function keeps; -1 is the receiver. Functions that are "derived" in [Mint] are told of too: the same input gives the same result, a new one a new one. Functions that no table has are known by their shape, when all they can do is to point to a text, to follow the pointer, or to put the text into a type that can be left out.
func PassesThrough(fn *types.Func) (args []int, ok bool) {
	if args, ok = through[ID(fn)]; ok {
		return args, true
	}
	if rewraps(fn) {
		return []int{0}, true
	}
	return nil, false
}

// rewraps sees aws.String, lo.ToPtr, tea.StringValue, param.NewOpt, optional.NewString: one value in, the same value out.
func rewraps(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	signature, ok := fn.Type().(*types.Signature)
	if !ok || signature.Recv() != nil || signature.Params().Len() != 1 || signature.Results().Len() != 1 || signature.Variadic() {
		return false
	}
	in, out := signature.Params().At(0).Type(), signature.Results().At(0).Type()
	if _, generic := types.Unalias(in).(*types.TypeParam); !generic && !isText(in) {
		return false
	}
	return pointsTo(out, in) || pointsTo(in, out) || isOptional(out)
}

func pointsTo(pointer, to types.Type) bool {
	p, ok := types.Unalias(pointer).(*types.Pointer)
	return ok && types.Identical(p.Elem(), to)
}

// isOptional sees the types of SDKs that hold a value or none: param.Field[string], param.Opt[string], optional.String, OptString, NullableString.
func isOptional(t types.Type) bool {
	named := namedOf(t)
	if named == nil {
		return false
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return false
	}
	if args := named.TypeArgs(); args != nil && (args.Len() != 1 || !isText(args.At(0)) && !isTypeParam(args.At(0))) {
		return false
	}
	switch named.Obj().Name() {
	case "Field", "Opt", "Option", "Optional", "Nullable":
		return named.TypeArgs() != nil
	case "String": // those of null, sql and pgtype are of rows
		return named.Obj().Pkg() != nil && slices.Contains([]string{"optional", "opt", "param"}, named.Obj().Pkg().Name())
	case "OptString", "OptNilString", "OptionalString", "NullableString":
		return true
	}
	return false
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
