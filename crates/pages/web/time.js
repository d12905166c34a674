// The clock of a page, and how moments are written. No other script asks the browser for its clock, zone or language:
// a test sets all three at once, as `window.timeForTests`, before the page's scripts run. Plain script without modules,
// as compare.js.
//
// Time.now()                                 milliseconds since 1970
// Time.moment("2026-11-22T04:43:13.120Z")    "22 Nov 2026, 04:43:13", in the language and zone of the reader
// Time.words("Sign in")                      ["Sign", " ", "in"]
// Time.ofDevice("11-22 04:43:13.120")        "04:43:13.120", as the device wrote it
(() => {
  "use strict";
  /**
   * What a test sets: `moment` is shown for every moment, `locale` and `zone` write it, `shift` is how far the server's
   * clock is ahead of the browser's, in milliseconds. A reader has none of them.
   */
  const { moment: fixed, locale, zone, shift = 0 } = window.timeForTests ?? {};

  const now = () => Date.now() + shift;

  function moment(text) {
    const time = new Date(fixed ?? text);
    if (isNaN(time.getTime())) return text;
    return time.toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium", timeZone: zone });
  }

  /** The time of a line of a device's log, which has no year and no zone. */
  const ofDevice = (text) => (fixed ? fixed.slice(11, 16) : text.slice(6));

  const segmenter = window.Intl?.Segmenter ? new Intl.Segmenter(locale, { granularity: "word" }) : null;

  /** The words of a text and what stands between them, by the rules of the reader's language. */
  const words = (text) => (segmenter ? [...segmenter.segment(text)].map(({ segment }) => segment) : text.split(/(\s+|\p{P})/u).filter(Boolean));

  window.Time = { now, moment, ofDevice, words };
})();
