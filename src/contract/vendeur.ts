/** The sellers that a person blocks: neither shown nor bought. */
import * as z from "zod/mini";
import { MAX_LOGIN_LENGTH, MAX_SELLERS_AT_ONCE } from "./bounds.ts";
import { unixMs } from "./envelope.ts";

export const vendeurBloque = z.object({
  /** The marketplace's number; null: only the login is known. */
  id: z.nullable(z.int()),
  login: z.string(),
  depuis: unixMs,
});
export type VendeurBloque = z.infer<typeof vendeurBloque>;

const login = z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_LOGIN_LENGTH));

export const vendeursBloquerInput = z.object({
  vendeurs: z
    .array(
      z.object({
        login,
        id: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)))),
      }),
    )
    .check(z.minLength(1), z.maxLength(MAX_SELLERS_AT_ONCE)),
});

export const vendeursDebloquerInput = z.object({ login });
