// `npm run security -- sbom [file]`: writes to standard output unless a file is given.
import { writeFileSync } from "node:fs";
import { readLock, sbomOf } from "./lock-file.ts";

const text = `${JSON.stringify(sbomOf(readLock()), null, 2)}\n`;
const [, , file] = process.argv;
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
