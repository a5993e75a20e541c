(function () {
  "use strict";
  var all = function (what, of) { return Array.prototype.slice.call((of || document).querySelectorAll(what)); };

  // Tables are sorted by a click on a column's head.
  function worth(row, i) {
    var cell = row.cells[i], v = cell.dataset.v, text = v || cell.textContent.trim(), n = parseFloat(text.replace(/,/g, ""));
    return { n: n, text: text };
  }
  function sort(table, i, down) {
    var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows).map(function (r) { return { row: r, is: worth(r, i) }; });
    var numbers = rows.every(function (r) { return r.is.text === "–" || r.is.text === "?" || r.is.text === "" || !isNaN(r.is.n); });
    rows.sort(function (a, b) {
      if (numbers) {
        if (isNaN(a.is.n) || isNaN(b.is.n)) { return (isNaN(a.is.n) ? 1 : 0) - (isNaN(b.is.n) ? 1 : 0); }
        return down ? b.is.n - a.is.n : a.is.n - b.is.n;
      }
      return (down ? -1 : 1) * a.is.text.localeCompare(b.is.text, "en", { numeric: true });
    });
    rows.forEach(function (r) { body.appendChild(r.row); });
  }
  all("table.sortable").forEach(function (table) {
    all("thead th", table).forEach(function (th, i) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      while (th.firstChild) { button.appendChild(th.firstChild); }
      th.appendChild(button);
      button.addEventListener("click", function () {
        var down = th.getAttribute("aria-sort") === (th.className === "num" ? null : "ascending");
        all("thead th", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, i, down);
      });
    });
  });

  // What lacks the words is hidden; what has them inside of something that is closed is opened.
  var opened = [], find = document.getElementById("find"), found = document.getElementById("found"), things = all("[data-find]");
  find.parentNode.hidden = false;
  find.addEventListener("input", function () {
    var words = find.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
    things.forEach(function (t) {
      var text = (t.textContent + " " + (t.id || "")).toLowerCase();
      var has = words.every(function (w) { return text.indexOf(w) >= 0; });
      t.hidden = !has;
      if (has) { n++; }
      for (var d = t; has && words.length && n < 20 && d; d = d.parentElement) {
        if (d.tagName === "DETAILS" && !d.open) { d.open = true; opened.push(d); }
      }
    });
    if (!words.length) { opened.splice(0).forEach(function (d) { d.open = false; }); }
    found.textContent = words.length ? n + " of " + things.length : "";
  });

  // One button unfolds everything, and folds it again.
  var folds = all("details"), unfold = document.getElementById("unfold"), were = null;
  unfold.hidden = false;
  unfold.addEventListener("click", function () {
    if (were) { folds.forEach(function (d, i) { d.open = were[i]; }); were = null; }
    else { were = folds.map(function (d) { return d.open; }); folds.forEach(function (d) { d.open = true; }); }
    unfold.textContent = were ? "Fold again" : "Unfold everything";
  });

  // A link into something that is closed opens it.
  function reveal() {
    var at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!at) { return; }
    for (var d = at; d; d = d.parentElement) { if (d.tagName === "DETAILS") { d.open = true; } }
    at.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  reveal();

  // A stretch of time that is dragged over is shown larger, in all charts and heat maps; a double click shows all again.
  var charts = document.querySelector(".charts"), plots = all("svg.plot, svg.strip"), told = document.querySelector(".zoomed");
  if (!charts || !told) { return; }
  var from = +charts.dataset.from, to = +charts.dataset.to, x0 = 0, x1 = 1000, start = null;
  var scales = all(".xs");
  var words = scales.map(function (s) { return all("span", s).map(function (t) { return t.textContent; }); });
  function clock(x) { return new Date(from + (to - from) * x / 1000).toISOString().slice(11, 19); }
  function show(a, b) {
    x0 = a; x1 = b;
    var whole = a === 0 && b === 1000;
    plots.forEach(function (p) { p.setAttribute("viewBox", a + " 0 " + (b - a) + " " + p.getAttribute("viewBox").split(" ")[3]); });
    scales.forEach(function (s, k) {
      all("span", s).forEach(function (t, i) { t.textContent = whole ? words[k][i] : clock(a + (b - a) * i / 4); });
    });
    told.hidden = false;
    told.textContent = whole ? "Drag across a chart to see a part of it larger." : "Shown: " + clock(a) + " to " + clock(b) + "; a double click shows all.";
  }
  function at(p, e) {
    var r = p.getBoundingClientRect();
    return x0 + (x1 - x0) * Math.min(Math.max((e.clientX - r.left) / r.width, 0), 1);
  }
  plots.forEach(function (p) {
    p.classList.add("zoomable");
    p.addEventListener("pointerdown", function (e) { start = at(p, e); e.preventDefault(); });
    p.addEventListener("pointerup", function (e) {
      var end = at(p, e);
      if (start !== null && Math.abs(end - start) > (x1 - x0) / 50) { show(Math.min(start, end), Math.max(start, end)); }
      start = null;
    });
    p.addEventListener("dblclick", function () { show(0, 1000); });
  });
  show(0, 1000);
})();
