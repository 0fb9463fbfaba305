// Follows each link within the page, and returns those that lead nowhere and the places that no link leads to.
(() => {
  const found = [];
  const reached = new Set();
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    if (reached.has(id)) continue;
    reached.add(id);
    const target = document.getElementById(id);
    if (!target) { found.push(`#${id} is nowhere`); continue; }
    location.hash = "#" + id;
    const top = target.getBoundingClientRect().top;
    const end = document.documentElement.scrollHeight - window.scrollY <= window.innerHeight + 1;
    if (top > window.innerHeight || (top < -1 && !end)) found.push(`#${id} is out of sight, at ${Math.round(top)}`);
  }
  for (const place of document.querySelectorAll("article[id], li[id]")) {
    if (!reached.has(place.id)) found.push(`no link leads to #${place.id}`);
  }
  location.hash = "";
  return found.slice(0, 20);
})()
