// Distances between the element that was picked and the one that is pointed at.

/**
 * Lines from edge to edge of two boxes, across and down; the four insets where one is inside the other. None where they overlap
 * in another way.
 *
 * @param {number[]} a
 * @param {number[]} b
 */
function distancesBetween(a, b) {
  const holds = (outer, inner) => outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
  const line = (name, axis, from, to, at) => ({ name, px: to - from, bounds: axis ? [at, from, at, to] : [from, at, to, at] });
  if (holds(a, b) || holds(b, a)) {
    const [outer, inner] = holds(a, b) ? [a, b] : [b, a];
    const [x, y] = [(inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2];
    return [
      line("left", 0, outer[0], inner[0], y), line("top", 1, outer[1], inner[1], x),
      line("right", 0, inner[2], outer[2], y), line("bottom", 1, inner[3], outer[3], x),
    ];
  }
  return ["across", "down"].flatMap((name, axis) => {
    const [first, second] = a[axis] <= b[axis] ? [a, b] : [b, a];
    if (first[axis + 2] > second[axis]) return [];
    // Where both are, else beside the second.
    const low = Math.max(a[1 - axis], b[1 - axis]);
    const high = Math.min(a[3 - axis], b[3 - axis]);
    const at = high > low ? (low + high) / 2 : (b[1 - axis] + b[3 - axis]) / 2;
    return [line(name, axis, first[axis + 2], second[axis], at)];
  });
}

/** A length in dp and px. */
const lengthOf = (px) => {
  const { density } = state.look;
  return density ? `${Number(((px * 160) / density).toFixed(1))} dp · ${px} px` : `${px} px`;
};

/** Says the distances, and gives their lines. */
function drawRuler() {
  const { look, picked, lit } = state;
  const other = state.mode === "inspect" && picked && lit !== picked.n ? look.rows.find((row) => row.n === lit) : null;
  const lines = other ? distancesBetween(picked.bounds, other.bounds) : [];
  const parts = lines.map(({ name, px }) => `${name} ${lengthOf(px)}`);
  $("ruler").textContent = other ? `To “${nameOf(other).slice(0, 40)}”: ${parts.join(", ") || "they overlap"}` : "";
  return lines.map((line) => {
    const element = box(line, line.bounds[0] === line.bounds[2] ? "gap down" : "gap");
    element.append(make("span", { textContent: lengthOf(line.px) }));
    return element;
  });
}
