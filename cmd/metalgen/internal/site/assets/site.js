"use strict";

// found, of found.js, has everything: files, with kernels and structs.

const root = document.body.dataset.root;

function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const name in attributes) e.setAttribute(name, attributes[name]);
	e.append(...children);
	return e;
}

// broken returns a name that a browser may break behind underscores.
function broken(name) {
	return name.split("_").flatMap((part, i) => i ? ["_", document.createElement("wbr"), part] : [part]);
}

// Beside a page stands what is in its file, or all files. Where the window is too narrow for that, it stands above the
// page, and opens when it is asked for.
function beside(nav) {
	const details = nav.querySelector("details"), narrow = matchMedia("(max-width: 60rem)");
	const fit = () => { details.open = !narrow.matches; };
	narrow.addEventListener("change", fit);
	fit();
	const here = found.find(f => f.f === document.body.dataset.here);
	const list = (title, href, links) => {
		details.append(element("h2", {}, href ? element("a", {href}, title) : title));
		details.append(element("ul", {}, ...links.map(([text, href]) => {
			const a = element("a", {href: root + href}, ...broken(text));
			if (a.pathname === location.pathname && !a.hash) a.setAttribute("aria-current", "page");
			return element("li", {}, a);
		})));
	};
	if (!here) {
		list("Files", "", found.map(f => [f.f, f.u]));
		return;
	}
	list(here.f, root + here.u, here.k.map(k => [k.n, k.u]));
	if (here.s) list("Types", "", here.s.map(s => [s.n, here.u + "#" + encodeURIComponent(s.g)]));
	const current = nav.querySelector("[aria-current]");
	if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
}

// entries are what the search finds, in the order of the sources.
function entries() {
	const all = [];
	const add = (name, other, what, page) => all.push({name, keys: [name.toLowerCase(), other.toLowerCase()], what, page});
	for (const f of found) {
		add(f.f, "", "file", f.u);
		for (const k of f.k) {
			add(k.n, k.g, k.d || f.f, k.u);
			for (const v of k.v || []) add(v, "", "instance of " + k.n, k.u + "#" + encodeURIComponent(v));
		}
		for (const s of f.s || []) add(s.n, s.g, "type, " + f.f, f.u + "#" + encodeURIComponent(s.g));
	}
	return all;
}

// search returns the entries that have all words, those first that begin with one, and shorter ones before longer.
function search(all, query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	if (!words.length) return [];
	const rank = e => {
		let sum = e.name.length / 1000;
		for (const w of words) {
			const at = e.keys.map(k => k === w ? -1 : k.indexOf(w)).filter((n, i) => n >= 0 || e.keys[i] === w);
			if (at.length) sum += Math.min(...at) <= 0 ? 0 : 1;
			else if (e.what.toLowerCase().includes(w)) sum += 4;
			else return Infinity;
		}
		return sum;
	};
	return all.map(e => [rank(e), e]).filter(([r]) => r < Infinity).sort(([a], [b]) => a - b).map(([, e]) => e);
}

function searching(form) {
	const shown = 40;
	const input = form.querySelector("input"), results = form.querySelector("#results");
	let all, chosen = -1;
	const choose = n => {
		const links = results.querySelectorAll("a");
		if (links[chosen]) links[chosen].removeAttribute("aria-selected");
		chosen = Math.max(-1, Math.min(n, links.length - 1));
		input.removeAttribute("aria-activedescendant");
		if (!links[chosen]) return;
		links[chosen].setAttribute("aria-selected", "true");
		links[chosen].scrollIntoView({block: "nearest"});
		input.setAttribute("aria-activedescendant", links[chosen].id);
	};
	const show = () => {
		all = all || entries();
		const list = search(all, input.value);
		results.replaceChildren(...list.slice(0, shown).map((e, i) => element("a",
			{href: root + e.page, role: "option", id: "result-" + i, tabindex: "-1"},
			element("span", {}, e.name), element("small", {}, e.what))));
		if (list.length > shown) results.append(element("p", {}, `and ${list.length - shown} more`));
		if (!list.length) results.append(element("p", {}, "Nothing found"));
		results.hidden = !input.value.trim();
		input.setAttribute("aria-expanded", String(!results.hidden));
		chosen = -1;
		choose(0);
	};
	const hide = () => {
		results.hidden = true;
		input.setAttribute("aria-expanded", "false");
	};
	form.hidden = false;
	input.addEventListener("input", show);
	input.addEventListener("focus", show);
	input.addEventListener("keydown", e => {
		if (e.key === "ArrowDown") choose(chosen + 1);
		else if (e.key === "ArrowUp") choose(Math.max(0, chosen - 1));
		else if (e.key === "Escape") {
			hide();
			input.blur();
		} else return;
		e.preventDefault();
	});
	form.addEventListener("submit", e => {
		e.preventDefault();
		const link = results.querySelector("[aria-selected]");
		if (!link) return;
		hide();
		input.blur();
		location.href = link.href;
	});
	document.addEventListener("click", e => {
		if (!form.contains(e.target) || e.target.closest("a")) hide();
	});
	document.addEventListener("keydown", e => {
		if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input")) return;
		e.preventDefault();
		input.focus();
		input.select();
	});
	const asked = new URLSearchParams(location.search).get("q"); // index.html?q=norm
	if (asked) {
		input.value = asked;
		input.focus();
	}
}

beside(document.querySelector(".beside"));
searching(document.querySelector(".search"));
