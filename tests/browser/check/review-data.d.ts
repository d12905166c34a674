// What queue.js of a page of files holds.
declare const REVIEW: any;
