// For the type checker only: what the scripts of a page hand to each other.

interface Window {
  Time: any;
  timeForTests?: { moment?: string; locale?: string; zone?: string; shift?: number };
  Words: any;
  Compare: any;
  Parts: any;
  Report: any;
  Walk: any;
}
declare const Time: any;
declare const Words: any;
declare const Compare: any;
declare const Parts: any;
