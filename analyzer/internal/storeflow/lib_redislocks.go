package storeflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/program"
)

// redisLocks knows locks that are built on Redis, DynamoDB or etcd: redsync, redislock, dynamolock. What follows one of them is arbitrated between all replicas.
type redisLocks struct{}

// lockCalls are the methods that take a lock, by package and receiver. The argument is where the key is; -1 when the receiver was made with it.
var lockCalls = map[[3]string]int{
	{"github.com/go-redsync/redsync", "Mutex", "Lock"}:            -1,
	{"github.com/go-redsync/redsync", "Mutex", "LockContext"}:     -1,
	{"github.com/go-redsync/redsync", "Mutex", "TryLock"}:         -1,
	{"github.com/go-redsync/redsync", "Mutex", "TryLockContext"}:  -1,
	{"github.com/bsm/redislock", "Client", "Obtain"}:              1,
	{"github.com/bsm/redislock", "Client", "ObtainMulti"}:         1,
	{"github.com/bsm/redislock", "", "Obtain"}:                    2,
	{"cirello.io/dynamolock", "Client", "AcquireLock"}:            0,
	{"cirello.io/dynamolock", "Client", "AcquireLockWithContext"}: 1,
	{"go.etcd.io/etcd/client/concurrency", "Mutex", "Lock"}:       -1,
	{"go.etcd.io/etcd/client/concurrency", "Mutex", "TryLock"}:    -1,
	{"github.com/hashicorp/consul/api", "Lock", "Lock"}:           -1,
	{"github.com/hashicorp/consul/api", "Semaphore", "Acquire"}:   -1,
}

func (redisLocks) imports(path string) bool {
	for call := range lockCalls {
		if path == call[0] {
			return true
		}
	}
	return false
}

func (redisLocks) connection(types.Type) ConnKind { return UnknownConn }

func (redisLocks) accesses(p *Result, call ssa.CallInstruction, fn *types.Func) []Access {
	key, ok := lockCalls[[3]string{packagePath(fn), receiverName(fn), fn.Name()}]
	if !ok {
		return nil
	}
	access := Access{Engine: Redis, Op: Lock, Executor: Executor{Kind: Client}}
	if v := argument(call, key); v != nil {
		access.Table = keyPattern(p, v)
	} else if made, isCall := program.Resolve(receiver(call)).(*ssa.Call); isCall && made.Call.StaticCallee() != nil && strings.HasPrefix(made.Call.StaticCallee().Name(), "New") {
		if v := argument(made, 0); v != nil && types.Identical(v.Type().Underlying(), types.Typ[types.String]) {
			access.Table = keyPattern(p, v)
		}
	}
	return []Access{access}
}

func (redisLocks) transaction(*Result, ssa.CallInstruction, *types.Func) *event { return nil }

func (redisLocks) duplicate(types.Object) bool { return false }
