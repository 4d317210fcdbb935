// Writes a hash of the sources beside the built page, so that a test can tell whether it is of these sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const lab = join(import.meta.dirname, "..");
const page = join(lab, "..", "python", "eddyline", "serve", "page");
const roots = ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "schema", "src"];

function files(path) {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => files(join(path, entry.name)));
  } catch (error) {
    if (error.code === "ENOTDIR") return [path];
    throw error;
  }
}

const hash = createHash("sha256");
const names = roots.flatMap((root) => files(join(lab, root))).map((path) => relative(lab, path).split(sep).join("/"));
for (const name of names.sort()) {
  const content = readFileSync(join(lab, name));
  hash.update(`${name}\n${content.length}\n`).update(content);
}
writeFileSync(join(page, "sources.sha256"), `${hash.digest("hex")}\n`);
