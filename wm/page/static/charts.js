"use strict";
// Draws <wm-chart data-chart='…'> with uPlot. wm/page/charts.py says what the data is.
(() => {
  const HEIGHT = 200;
  const dateOf = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

  const say = {
    tokens: (value) => compact.format(value),
    usd: (value) => "$" + value.toFixed(2),
    "": (value) => value.toFixed(1),
  };

  const colour = (element, name) =>
    getComputedStyle(element).getPropertyValue("--chart-" + name).trim() || "#888";

  // Each series on top of those before it, the topmost first: uPlot paints in this order.
  function stacked(series) {
    const sums = [];
    let below = series[0].values.map(() => 0);
    for (const one of series) {
      below = below.map((sum, at) => sum + one.values[at]);
      sums.push(below);
    }
    return sums.reverse();
  }

  function series(element, chart) {
    const bars = chart.kind === "bars";
    const shown = bars ? [...chart.series].reverse() : chart.series;
    return shown.map((one, at) => {
      const ink = colour(element, one.colour);
      return {
        label: one.label,
        stroke: ink,
        fill: bars ? ink : undefined,
        width: bars ? 0 : 2,
        dash: one.dashed ? [5, 4] : undefined,
        paths: bars ? uPlot.paths.bars({ size: [0.86, 40] }) : undefined,
        points: { show: false },
        spanGaps: false,
        value: (_plot, _sum, _series, index) => {
          const value = index === null ? null : shown[at].values[index];
          return value === null || value === undefined ? "–" : say[chart.unit](value);
        },
      };
    });
  }

  function borders(plot, places, ink) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = ink;
    ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const x of places) {
      const at = Math.round(plot.valToPos(x, "x", true));
      ctx.beginPath();
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  // What the legend shows while no pointer is over the chart.
  function rest(plot, chart) {
    const idx = chart.at ?? plot.data[0].length - 1;
    if (plot.legend.idx !== idx) plot.setLegend({ idx });
  }

  function options(element, chart) {
    const muted = colour(element, "muted");
    const grid = { stroke: colour(element, "grid"), width: 1 };
    const axis = { stroke: muted, grid, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    return {
      width: Math.max(240, element.clientWidth),
      height: HEIGHT,
      cursor: { drag: { x: false, y: false }, points: { show: chart.kind === "lines" } },
      legend: { live: true },
      hooks: {
        setLegend: [(plot) => plot.cursor.idx === null && rest(plot, chart)],
        ready: [(plot) => rest(plot, chart)],
        draw: [(plot) => borders(plot, chart.borders ?? [], colour(element, "muted"))],
      },
      scales: { x: { time: false, range: range(chart) }, y: { range: (_plot, _least, most) => [0, most * 1.06 || 1] } },
      axes: [
        { ...axis, grid: { show: false }, space: 70, size: 28, values: (_plot, ticks) => ticks.map(mark(chart)) },
        { ...axis, size: 52, values: (_plot, ticks) => ticks.map((value) => say[chart.unit](value)) },
      ],
      series: [
        { label: chart.time ? "day" : "request", value: (_plot, x) => (x === null ? "–" : mark(chart)(x)) },
        ...series(element, chart),
      ],
    };
  }

  const mark = (chart) => (x) => (chart.time ? dateOf.format(new Date(x * 1000)) : Number.isInteger(x) ? String(x) : "");

  // Half a bar more at both ends.
  const range = (chart) => (_plot, least, most) =>
    chart.kind === "bars" ? [least - 0.6, most + 0.6] : least === most ? [least - 1, most + 1] : [least, most];

  class WmChart extends HTMLElement {
    static observedAttributes = ["data-chart"];

    connectedCallback() {
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(this);
      this.scheme = matchMedia("(prefers-color-scheme: dark)");
      this.recolour = () => this.draw();
      this.scheme.addEventListener("change", this.recolour);
      this.draw();
    }

    disconnectedCallback() {
      this.sizes.disconnect();
      this.scheme.removeEventListener("change", this.recolour);
    }

    attributeChangedCallback() {
      if (this.isConnected && this.sizes) this.draw();
    }

    fit() {
      if (this.plot && this.clientWidth !== this.plot.width) {
        this.plot.setSize({ width: Math.max(240, this.clientWidth), height: HEIGHT });
      }
    }

    draw() {
      const chart = JSON.parse(this.dataset.chart);
      const values = chart.kind === "bars" ? stacked(chart.series) : chart.series.map((one) => one.values);
      this.plot?.destroy();
      this.querySelector("wm-plot")?.remove();
      const place = document.createElement("wm-plot");
      place.setAttribute("aria-hidden", "true");
      this.append(place);
      this.plot = new uPlot(options(this, chart), [chart.x, ...values], place);
    }
  }

  customElements.define("wm-chart", WmChart);
})();
