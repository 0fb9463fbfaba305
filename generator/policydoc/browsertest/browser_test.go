package browsertest

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	//go:embed checks.js
	checks string
	//go:embed links.js
	links string

	shots = flag.String("shots", "", "`folder` to write a screenshot of each page to, in each form")
)

// form is a way to look at a page.
type form struct {
	width         int64
	scheme, media string
}

func (f form) String() string { return fmt.Sprintf("%d %s %s", f.width, f.scheme, f.media) }

// forms are a phone, a tablet and a desktop, each by day and by night, and paper.
var forms = []form{
	{360, "light", "screen"}, {360, "dark", "screen"}, {768, "light", "screen"}, {768, "dark", "screen"},
	{1280, "light", "screen"}, {1280, "dark", "screen"}, {794, "light", "print"}, {794, "dark", "print"},
}

// browser starts Chromium without a network. Without one the test is skipped, in a pipeline it fails.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{os.Getenv("IDEMGEN_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && name != "" {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no Chromium: install Debian's package chromium, or name one by IDEMGEN_CHROMIUM")
		}
		t.Skip("there is no Chromium: install Debian's package chromium, or name one by IDEMGEN_CHROMIUM")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.ProxyServer("http://127.0.0.1:1"), chromedp.Flag("lang", "en"))
	if os.Geteuid() == 0 { // Chromium's sandbox refuses root
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is an open page and what went wrong in it.
type tab struct {
	ctx   context.Context
	mu    sync.Mutex
	wrong []string
}

func (b *tab) add(format string, values ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, values...))
}

// open loads a file in a tab of its own, with scripts switched off.
func open(t *testing.T, ctx context.Context, file string) *tab {
	t.Helper()
	absolute, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute)}).String()
	b := &tab{}
	var cancel context.CancelFunc
	b.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var timeout context.CancelFunc
	must(t, chromedp.Do(b.ctx))
	b.ctx, timeout = context.WithTimeout(b.ctx, 2*time.Minute)
	t.Cleanup(timeout)
	must(t, chromedp.Listen(b.ctx, func(event any) {
		switch event := event.(type) {
		case *network.EventRequestWillBeSent:
			if event.Request.URL != address {
				b.add("it asks for %s", event.Request.URL)
			}
		case *runtime.EventConsoleAPICalled:
			b.add("the console has a %s", event.Type)
		case *runtime.EventExceptionThrown:
			b.add("a script failed: %s", event.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			b.add("the console has: %s", event.Entry.Text)
		}
	}))
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, log.Enable, cdp.Empty{})
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	must(t, chromedp.Do(b.ctx, chromedp.Navigate(address)))
	return b
}

func call[P, R any](t *testing.T, b *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	must(t, err)
	return result
}

// look shows the page in a form and adds what is wrong with it.
func (b *tab) look(t *testing.T, f form) {
	t.Helper()
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: f.width, Height: 800, DeviceScaleFactor: 1, Mobile: f.width < 500})
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: f.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: f.scheme}}})
	for _, sentence := range b.evaluate(t, checks) {
		b.add("%s: %s", f, sentence)
	}
}

func (b *tab) evaluate(t *testing.T, script string) []string {
	t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](script))
	must(t, err)
	return found
}

// found is what went wrong so far.
func (b *tab) found() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.wrong...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPage_P2_InABrowser(t *testing.T) {
	ctx := browser(t)
	for name, file := range pages(t) {
		t.Run(name, func(t *testing.T) {
			b := open(t, ctx, file)
			for _, f := range forms {
				b.look(t, f)
				if *shots != "" {
					b.shoot(t, filepath.Join(*shots, strings.ReplaceAll(name+" "+f.String(), " ", "-")+".png"))
				}
				if f.media == "screen" && f.scheme == "light" {
					for _, sentence := range b.evaluate(t, links) {
						b.add("%s: %s", f, sentence)
					}
				}
			}
			if pdf := call(t, b, page.PrintToPDF, page.PrintToPDFParams{}); len(pdf.Data) < 1000 {
				b.add("it prints as %d bytes", len(pdf.Data))
			}
			for _, sentence := range b.found() {
				t.Error(sentence)
			}
		})
	}
}

// The links above the table leave the rows of one kind, without any script.
func TestPage_P2_TableIsFilteredByLinks(t *testing.T) {
	b := open(t, browser(t), bank)
	b.look(t, form{1280, "light", "screen"})
	for _, kind := range []string{"keyed", "natural", "conditional", "unsafe", "undecided"} {
		left := b.evaluate(t, `(() => {
			location.hash = "#page_only_`+kind+`";
			return [...document.querySelectorAll("tr.row")].filter((row) => row.getBoundingClientRect().height > 0).map((row) => row.className);
		})()`)
		if len(left) == 0 {
			t.Errorf("%s: no row is left", kind)
		}
		for _, class := range left {
			if class != "row "+kind {
				t.Errorf("%s: a row of %q is left", kind, class)
			}
		}
	}
}

// Each check finds what it is for.
func TestChecks_FindWhatIsWrong(t *testing.T) {
	ctx := browser(t)
	for name, c := range map[string]struct{ body, want string }{
		"nothing":             {``, ""},
		"a wide page":         {`<div style="width: 900px">x</div>`, "wide in a window of 360"},
		"a wide word":         {`<div style="overflow: hidden"><span>` + strings.Repeat("x", 200) + `</span></div>`, "reaches to"},
		"grey on grey":        {`<p style="color: #999; background: #bbb">faint</p>`, `"faint" has a contrast of`},
		"faint at night":      {`<style>@media (prefers-color-scheme: dark) { .n { color: #333; background: #000 } }</style><p class="n">night</p>`, `360 dark screen: p.n "night" has a contrast of`},
		"faint on paper":      {`<style>@media print { .p { color: #ddd } }</style><p class="p">paper</p>`, `print: p.p "paper" has a contrast of`},
		"faint in a drawing":  {`<svg viewBox="0 0 9 9"><rect width="9" height="9" fill="black"/><text y="9" fill="#222">x</text></svg>`, "has a contrast of"},
		"half transparent":    {`<p style="color: rgba(0, 0, 0, .3)">ghost</p>`, `"ghost" has a contrast of`},
		"cut off":             {`<svg width="20" height="20" viewBox="0 0 20 20" overflow="visible"><text y="15">` + "much too long" + `</text></svg>`, "is cut off in its drawing"},
		"out of reach":        {`<div style="overflow-x: auto; width: 50px"><pre>` + strings.Repeat("x", 99) + `</pre></div>`, "a keyboard does not get there"},
		"a dead link":         {`<a href="#gone">x</a>`, "#gone is nowhere"},
		"a hidden target":     {`<a href="#far">x</a><p style="position: fixed; top: 3000px" id="far">y</p>`, "#far is out of sight"},
		"an unlinked section": {`<article id="lonely">x</article>`, "no link leads to #lonely"},
		"a picture":           {`<img src="https://outside.example/x.png" alt="x">`, "it asks for https://outside.example/x.png"},
		"a style":             {`<link rel="stylesheet" href="x.css">`, "it asks for file:"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.html")
			must(t, os.WriteFile(file, []byte(`<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>x</title><body><p>one</p><p>two</p><p>three</p>`+c.body), 0o644))
			b := open(t, ctx, file)
			for _, f := range []form{{360, "light", "screen"}, {360, "dark", "screen"}, {794, "light", "print"}} {
				b.look(t, f)
			}
			for _, sentence := range b.evaluate(t, links) {
				b.add("%s", sentence)
			}
			found := strings.Join(b.found(), "\n")
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

func (b *tab) shoot(t *testing.T, file string) {
	t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	must(t, err)
	must(t, os.WriteFile(file, picture, 0o644))
}
