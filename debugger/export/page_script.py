"""What the exported page brings along for itself: its style, and a script without which it can be read as well.

Both are named by their hash in the page's policy, so nothing else on the page is ever run or styled.
"""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1b;--dim:#6a6a6a;--line:#d8d8d8;--soft:#f4f4f4}
:root{--ok:#1a7f37;--bad:#b3261e;--warn:#8a5a00;--key:#0550ae;--add:#e6f6ea;--rem:#fdecea}
@media(prefers-color-scheme:dark){
:root{--bg:#121212;--fg:#e0e0e0;--dim:#9a9a9a;--line:#3a3a3a;--soft:#1e1e1e}
:root{--ok:#8ad4a1;--bad:#d17e92;--warn:#ffc473;--key:#57a5e2;--add:#15301e;--rem:#3a1b22}
}
*{box-sizing:border-box}
body{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:1rem;background:var(--bg);color:var(--fg)}
h1{font-size:1.3rem;margin:.2rem 0}h2{font-size:1.05rem;margin:1.5rem 0 .4rem}
header p,footer p{color:var(--dim);margin:.2rem 0}
pre,code,.m{font:12.5px/1.45 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}
pre{margin:.3rem 0;padding:.5rem;background:var(--soft);border-radius:4px}
pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
#find{position:sticky;top:0;background:var(--bg);padding:.5rem 0;border-bottom:1px solid var(--line);z-index:1}
#find{display:flex;gap:.5rem;align-items:center}
#find[hidden]{display:none}#find input{flex:1;font:inherit;padding:.3rem .5rem}#find button{font:inherit}
details{margin:.15rem 0}summary{cursor:pointer;overflow-wrap:anywhere}
details details{margin-left:1rem}
.d{border-top:1px solid var(--line);padding:.2rem 0}.w>summary{font-weight:600}
small{color:var(--dim);font-size:1em}summary i{font-style:normal}
.strip{display:flex;flex-wrap:wrap;gap:.3rem;margin:.4rem 0;padding:0;list-style:none}
.strip li{border:1px solid var(--line);border-radius:4px;padding:.15rem .5rem;min-width:7rem}
.strip i{font-style:normal}
.ok{color:var(--ok)}.changed,.held,.subtle,.accent{color:var(--warn)}.denied,.error,.alarm{color:var(--bad);font-weight:600}
.dim{color:var(--dim)}.running,.number,.constant,.key{color:var(--key)}.strong{font-weight:600}
.la{background:var(--add)}.lr{background:var(--rem)}
.lr .removed,.la .added{font-weight:600;text-decoration:underline}
.b{display:inline-block;width:10rem;height:.7rem;vertical-align:middle;background:var(--soft)}
.b::before{content:"";display:block;height:100%;margin-left:calc(var(--l,0)*2.5%);width:calc(var(--w)*2.5%)}
.b::before{background:currentColor}
dt{font-weight:600;margin-top:.5rem}dd{margin:0 0 0 1rem}
:target{outline:2px solid var(--warn)}
"""
STYLE += "".join(f".l{n}{{--l:{n}}}.w{n}{{--w:{n}}}" for n in range(1, 41)) + "\n"

SCRIPT = """
(() => {
  const box = document.getElementById('find'), field = box.querySelector('input');
  const found = document.getElementById('found');
  const dispatches = [...document.querySelectorAll('details.d')];
  const stretches = [...document.querySelectorAll('details.w')].reverse();
  const texts = new Map();
  const textOf = each => {
    if (!texts.has(each)) {
      const links = [...each.querySelectorAll('a[href^="#x"]')];
      const elsewhere = links.map(link => document.getElementById(link.hash.slice(1)));
      texts.set(each, [each, ...elsewhere].map(node => node ? node.textContent : '').join(' ').toLowerCase());
    }
    return texts.get(each);
  };
  const search = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const each of dispatches) {
      const fits = words.every(word => textOf(each).includes(word));
      each.hidden = !fits && !each.querySelector('details.d:not([hidden])');
      count += fits;
    }
    for (const each of stretches)
      each.hidden = words.length > 0 && !each.querySelector('details.d:not([hidden])') &&
        !words.every(word => each.querySelector('summary').textContent.toLowerCase().includes(word));
    found.textContent = words.length ? count + ' of ' + dispatches.length : '';
  };
  const reveal = () => {
    if (location.hash.startsWith('#q=')) {
      try { field.value = decodeURIComponent(location.hash.slice(3)); } catch { return; }
      search();
      return;
    }
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let node = target; node; node = node.parentElement)
      if (node.tagName === 'DETAILS') { node.open = true; node.hidden = false; }
    target.scrollIntoView();
  };
  const openAll = open => { for (const each of document.querySelectorAll('details.d, details.w')) each.open = open; };
  box.hidden = false;
  field.addEventListener('input', search);
  document.getElementById('open').addEventListener('click', () => openAll(true));
  document.getElementById('close').addEventListener('click', () => openAll(false));
  addEventListener('hashchange', reveal);
  addEventListener('keydown', event => {
    if (event.key === '/' && document.activeElement !== field) { event.preventDefault(); field.focus(); }
    if (event.key === 'Escape' && document.activeElement === field) { field.value = ''; search(); field.blur(); }
  });
  reveal();
})();
"""
