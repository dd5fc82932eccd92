// Runs the Khronos glTF validator over files; any error or warning is a failure. See README.md.
const fs = require("fs");
const validator = require("gltf-validator");

async function main(files) {
  let bad = 0;
  for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    const severe = messages.filter((m) => m.severity < 2);
    if (numErrors + numWarnings > 0) bad += 1;
    if (severe.length > 0) console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
    for (const m of severe.slice(0, 5)) console.log(`  ${m.code} ${m.pointer}: ${m.message}`);
  }
  console.log(`${files.length} files, ${bad} with errors or warnings`);
  process.exitCode = bad > 0 || files.length === 0 ? 1 : 0;
}

main(process.argv.slice(2));
