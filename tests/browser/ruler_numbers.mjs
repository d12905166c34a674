// The distances between two boxes. Needs no page.
import fs from "node:fs";
import vm from "node:vm";

vm.runInThisContext(fs.readFileSync(new URL("../../crates/studio/web/ruler.js", import.meta.url), "utf8"));
const distancesBetween = vm.runInThisContext("distancesBetween");

const told = (a, b) => distancesBetween(a, b).map(({ name, px, bounds }) => `${name} ${px} at ${bounds}`);
const box = [100, 100, 200, 200];
for (const [a, b, expected, what] of [
  [box, [230, 140, 300, 400], ["across 30 at 200,170,230,170"], "beside it"],
  [box, [0, 140, 60, 180], ["across 40 at 60,160,100,160"], "on the other side"],
  [box, [120, 250, 180, 300], ["down 50 at 150,200,150,250"], "below it"],
  [box, [300, 400, 360, 500], ["across 100 at 200,450,300,450", "down 200 at 330,200,330,400"], "beside and below"],
  [box, [200, 100, 300, 200], ["across 0 at 200,150,200,150"], "they touch"],
  [box, [150, 150, 250, 250], [], "they overlap"],
  [box, [110, 120, 150, 160], ["left 10 at 100,140,110,140", "top 20 at 130,100,130,120", "right 50 at 150,140,200,140", "bottom 40 at 130,160,130,200"], "one inside the other"],
]) {
  const found = told(a, b);
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${what}: ${JSON.stringify(found)}`);
  const swapped = distancesBetween(b, a).map(({ name, px }) => `${name} ${px}`);
  const same = distancesBetween(a, b).map(({ name, px }) => `${name} ${px}`);
  if (JSON.stringify(swapped) !== JSON.stringify(same)) throw new Error(`${what}, the other way: ${swapped}`);
}
