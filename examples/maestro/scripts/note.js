const words = ["Letter", "to", WHO];
output.note = { title: words.join(" "), count: () => words.length };
console.log(`looking for ${output.note.title}`);
