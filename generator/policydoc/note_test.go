package policydoc

import "testing"

func TestProse_HTMLTakesCommonMarkFromAList(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\nb":                                  "<p>a</p>\n<p>b</p>",
		"one `co<de>` *two* **three**":            "<p>one <code>co&lt;de&gt;</code> <em>two</em> <strong>three</strong></p>",
		"# Big\n\ntext":                           "<p><strong>Big</strong></p>\n<p>text</p>",
		"- a\n- b":                                "<ul><li>a</li><li>b</li></ul>",
		"3. a\n4. b":                              `<ol start="3"><li>a</li><li>b</li></ol>`,
		"> quoted":                                "<blockquote><p>quoted</p>\n</blockquote>",
		"```sh\na <b>\n\n\nc\n```":                `<pre tabindex="0"><code>a &lt;b&gt;&#10;&#10;&#10;c</code></pre>`,
		"[a](https://a.example/x?y=1&z) end":      `<p><a rel="nofollow noopener noreferrer" href="https://a.example/x?y=1&amp;z">a</a> end</p>`,
		"<https://a.example>":                     `<p><a rel="nofollow noopener noreferrer" href="https://a.example">https://a.example</a></p>`,
		"<x@a.example>":                           `<p><a rel="nofollow noopener noreferrer" href="mailto:x@a.example">x@a.example</a></p>`,
		"[a](javascript:alert(1))":                "<p>a</p>",
		"[a](JaVaScRiPt&colon;alert(1))":          "<p>a</p>",
		"[a](data:text/html,x)":                   "<p>a</p>",
		"[a](//a.example) [b](/c) [d](#e)":        "<p>a b d</p>",
		"<javascript:alert(1)>":                   "<p>javascript:alert(1)</p>",
		"![seen](https://a.example/pixel.png)":    "<p>seen</p>",
		"![seen](data:image/png;base64,AAAA)":     "<p>seen</p>",
		"a <b onclick=x>c</b>":                    "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>",
		"<script>\nalert(1)\n</script>":           "<p>&lt;script&gt; alert(1) &lt;/script&gt;</p>",
		"<!-- a -->":                              "<p>&lt;!-- a --&gt;</p>",
		"&lt;script&gt; &#x202e;x\u202ey \\*z":    "<p>&lt;script&gt; xy *z</p>",
		"a\\\nb":                                  "<p>a<br>b</p>",
		"[a]: https://a.example\n\n[b][a]":        `<p><a rel="nofollow noopener noreferrer" href="https://a.example">b</a></p>`,
		"{{ .Secret }}":                           "<p>&#123;&#123; .Secret &#125;&#125;</p>",
		"---":                                     "",
		"":                                        "",
		"[a](https://a.example \"x\\\" y=\\\"\")": `<p><a rel="nofollow noopener noreferrer" href="https://a.example">a</a></p>`,
	} {
		if got := string(Prose(text).HTML()); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
