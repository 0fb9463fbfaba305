// Returns what is wrong with the page at its present size, theme and medium, a sentence each.
(() => {
  const found = [];
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== "hidden"; };
  const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (typeof e.className === "string" && e.className ? "." + e.className : "");
  const quote = (s) => JSON.stringify(s.trim().slice(0, 60));

  // No horizontal scroll: neither the page nor anything in it that does not scroll by itself is wider than the window.
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) found.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${wide}`);
  const scrolls = (e) => { for (; e; e = e.parentElement) if (["auto", "scroll"].includes(getComputedStyle(e).overflowX)) return true; return false; };
  for (const e of document.querySelectorAll("body *")) {
    const r = e.getBoundingClientRect();
    if (r.width > 0 && r.right > wide + 1 && !scrolls(e)) { found.push(`${name(e)} reaches to ${Math.round(r.right)} in a window of ${wide}`); break; }
  }

  // Contrast of every text (WCAG 2.2, 1.4.3).
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1 }; };
  const over = (f, b) => ({ r: f.r * f.a + b.r * (1 - f.a), g: f.g * f.a + b.g * (1 - f.a), b: f.b * f.a + b.b * (1 - f.a), a: 1 });
  const light = (c) => { const l = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * l(c.r) + 0.7152 * l(c.g) + 0.0722 * l(c.b); };
  const contrast = (a, b) => { const x = light(a), y = light(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const behind = new Map();
  const background = (e) => {
    if (!e) return { r: 255, g: 255, b: 255, a: 1 };
    if (behind.has(e)) return behind.get(e);
    const own = parse(getComputedStyle(e).backgroundColor);
    const all = own.a === 1 ? own : over(own, background(e.parentElement));
    behind.set(e, all);
    return all;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !shown(e) || ["TITLE", "DESC", "STYLE"].includes(e.tagName.toUpperCase())) continue;
    texts++;
    const style = getComputedStyle(e);
    const svg = e.closest("svg");
    const color = parse(svg ? style.fill : style.color);
    const grounds = [background(svg ? svg.parentElement : e)];
    if (svg) for (const box of svg.querySelectorAll("rect")) grounds.push(parse(getComputedStyle(box).fill)); // any may be behind it
    const size = parseFloat(style.fontSize), bold = parseInt(style.fontWeight) >= 700;
    const need = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    for (const ground of grounds) {
      const has = contrast(over(color, ground), ground);
      if (has < need) { found.push(`${name(e)} ${quote(node.data)} has a contrast of ${has.toFixed(2)}, and needs ${need}`); break; }
    }
  }
  if (texts < 3) found.push(`only ${texts} texts are shown`);

  // Text in a drawing lies within it.
  for (const text of document.querySelectorAll("svg text")) {
    if (!shown(text)) continue;
    const t = text.getBoundingClientRect(), s = text.closest("svg").getBoundingClientRect();
    if (t.left < s.left - 1 || t.right > s.right + 1 || t.bottom > s.bottom + 1) found.push(`${quote(text.textContent)} is cut off in its drawing`);
  }

  // What scrolls can be reached by keyboard.
  for (const e of document.querySelectorAll("body *")) {
    if (e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0 && !e.querySelector("a[href]")) found.push(`${name(e)} scrolls, and a keyboard does not get there`);
  }
  return found.slice(0, 20);
})()
