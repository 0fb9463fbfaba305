package retrykey

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// mistake is a key that is new in each turn of something that retries.
type mistake struct {
	region *keyflow.Region
	// at is what is to be changed: the mint, the call whose callee mints, or the place where the counter enters the key.
	at token.Pos
	// send is where the value becomes a key; nil when a function that mints its key is given to a retry helper.
	send *keyflow.Send
	// origin is the mint or the counter; nil when the callee mints.
	origin *keyflow.Origin
	// own is what is known of a callee that mints what it sends.
	own        *keyflow.SendsKey
	confidence settings.Confidence
}

// find gives the mistakes of a package, one for each place, in source order. Of several regions around a mint the innermost is told.
func find(flow *keyflow.Result) []*mistake {
	byPlace := map[token.Pos]*mistake{}
	for _, region := range flow.Retries() {
		for _, m := range within(flow, region) {
			if before := byPlace[m.at]; before == nil || before.region.Pos < region.Pos {
				byPlace[m.at] = m
			}
		}
	}
	found := make([]*mistake, 0, len(byPlace))
	for _, m := range byPlace {
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b *mistake) int { return cmp.Compare(a.at, b.at) })
	return found
}

func within(flow *keyflow.Result, region *keyflow.Region) []*mistake {
	// A function of another package as callback: the call of the helper is what can be changed here.
	if region.Fn == nil {
		own := flow.KeyOf(region.Callee)
		if own == nil || !own.Own {
			return nil
		}
		return []*mistake{{region: region, at: region.Pos, own: own, confidence: region.Confidence}}
	}
	var found []*mistake
	for _, send := range flow.Sends {
		if !region.Contains(send.At) || flow.PerItem(region, send.At) {
			continue
		}
		if _, started := send.At.(*ssa.Go); started {
			continue // a fan-out: each has a key of its own
		}
		if send.Own != nil {
			if region.Kind == keyflow.Recursion && send.At == region.Call {
				continue // what it calls is itself: the mint is told of
			}
			if !flow.LookedFor(region, send, nil) {
				found = append(found, &mistake{region: region, at: send.Pos(), send: send, own: send.Own, confidence: least(region.Confidence, send.Confidence)})
			}
			continue
		}
		origins := flow.Origins(send.Value, send.Field)
		for i := range origins {
			if m := ofOrigin(flow, region, send, &origins[i]); m != nil {
				found = append(found, m)
			}
		}
	}
	return found
}

func ofOrigin(flow *keyflow.Result, region *keyflow.Region, send *keyflow.Send, origin *keyflow.Origin) *mistake {
	if origin.Mixed {
		return nil // a default beside a value of the caller
	}
	m := &mistake{region: region, send: send, origin: origin, confidence: least(region.Confidence, send.Confidence, origin.Confidence)}
	if origin.Quality == keyflow.Counter {
		if !flow.Counts(region, origin.At) {
			return nil
		}
		m.at = send.Pos()
		return m
	}
	mint, ok := origin.At.(ssa.Instruction)
	if !ok || !origin.Minted() || !region.Contains(mint) || flow.PerItem(region, mint) || flow.LookedFor(region, send, origin) {
		return nil
	}
	m.at = mint.Pos()
	return m
}

// least gives the lowest confidence; none given is High.
func least(all ...settings.Confidence) settings.Confidence {
	lowest := settings.High
	for _, c := range all {
		if c != "" && lowest.AtLeast(c) {
			lowest = c
		}
	}
	return lowest
}
