// A report of one file with files taken out of it, as those are for which it has no room: it says so, and all else works.
import { assert, drive, fits, picture } from "./page.mjs";

const index = process.argv[2];

await drive(async ({ open }) => {
  for (const width of [1440, 1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      const name = `one-file-left-out-${width}-${scheme}`;
      const page = await open(index, { width, height: 900, scheme });
      await page.evaluate(() => {
        summary.left_out = { limit: 25e6, passed: 12, smaller: 3, others: 1, flows: 2 };
        for (const holder of document.querySelectorAll("script[data-type]")) holder.remove();
        addresses.clear();
        drawOverview();
      });
      const words = await page.textContent(".left-out");
      for (const part of ["25 MB", "12 files of flows that passed", "1 other file", "3 pictures smaller", "--html DIR"])
        assert(words.includes(part), `${part} in ${words}`);
      await fits(page, name);
      await picture(page, name);
      await page.click('#flows a:has-text("It fails")');
      await page.waitForSelector('#main [role="tab"]');
      const shown = await page.textContent("#main");
      assert(shown.includes("it is not in this file"), shown);
      await fits(page, name);
      await picture(page, `${name}-flow`);
      await page.close();
    }
  }
});
