/**
 * The built web, read at start and served from memory, so that no request can reach the disk. Without dot
 * files and source maps.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { acceptsEncoding, compressGzip, MIN_COMPRESSED_BYTES } from "./encodings.ts";

export interface WebFile {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
  /** Whether the name changes with the content, so that browsers may cache it permanently. */
  readonly isHashed: boolean;
  /** Compressed at the first request and kept; null for content that does not compress. */
  readonly encodings: { readonly br: () => Promise<Buffer>; readonly gzip: () => Promise<Buffer> } | null;
}

/** The documents of the landing page, of its footer's pages, of everything under /synapse, and of the target of alerts. */
const DOCUMENTS = ["index", "legal", "panel", "alerte"] as const;
export type WebDocument = (typeof DOCUMENTS)[number];

interface WebFiles {
  /** Each with what its pages load from the start; null if the web is not built. */
  readonly documents: ReadonlyMap<WebDocument, string> | null;
  /** By address, "/assets/main-Cx12.js". */
  readonly files: ReadonlyMap<string, WebFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};
const SHRINKING = /^(text|application)\/|svg/;
const MAX_FILES = 2_000;
// Measured on the bundle: level 9 is within 4 % of 11 and ten times as fast.
const BROTLI_QUALITY = 9;

const compressBrotli = promisify(brotliCompress);

export async function readWebFiles(root: string): Promise<WebFiles> {
  const paths = await listFiles(root);
  if (paths.length > MAX_FILES) throw new Error(`the built web has more than ${MAX_FILES} files`);
  const files = new Map<string, WebFile>();
  const documents = new Map<WebDocument, string>();
  for (const path of paths) {
    const address = `/${relative(root, path).split(sep).join("/")}`;
    const type = TYPES[extname(path)];
    const document = DOCUMENTS.find((name) => address === `/${name}.html`);
    if (document !== undefined) documents.set(document, await readFile(path, "utf8"));
    else if (type !== undefined && !address.includes("/.")) {
      files.set(address, webFile(await readFile(path), address, type));
    }
  }
  return { documents: documents.size === DOCUMENTS.length ? documents : null, files };
}

/** The smallest encoding that the browser accepts. */
export async function encode(
  file: WebFile,
  acceptEncoding: string,
): Promise<{ readonly body: Buffer; readonly encoding: "br" | "gzip" | null }> {
  const accepts = (name: string): boolean => acceptsEncoding(acceptEncoding, name);
  if (file.encodings !== null && accepts("br")) return { body: await file.encodings.br(), encoding: "br" };
  if (file.encodings !== null && accepts("gzip"))
    return { body: await file.encodings.gzip(), encoding: "gzip" };
  return { body: file.body, encoding: null };
}

function webFile(body: Buffer, address: string, type: string): WebFile {
  return {
    body,
    type,
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
    isHashed: address.startsWith("/assets/"),
    encodings: SHRINKING.test(type) && body.length >= MIN_COMPRESSED_BYTES ? encodingsOf(body) : null,
  };
}

function encodingsOf(body: Buffer): NonNullable<WebFile["encodings"]> {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
  return {
    br: once(() => compressBrotli(body, options)),
    gzip: once(() => compressGzip(body)),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

async function listFiles(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    // Not built: the API works without pages.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
