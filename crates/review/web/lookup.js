// Elements by their id. A part of another page that has ids of its own brings a lookup of its own.

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);
