/** Requests about blocked sellers; separate, because pages load the schemas of all answers. */
import * as z from "zod/mini";
import { MAX_LOGIN_LENGTH, MAX_SELLERS_AT_ONCE } from "./bounds.ts";

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
