import { expect, test } from "vitest";
import { deviceOf } from "./device.ts";

test("browser and system are recognised, whatever browser they imitate", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  expect(deviceOf(chrome)).toBe("Chrome sur Linux");
  expect(deviceOf(`${chrome} Edg/140.0`.replace("X11; Linux x86_64", "Windows NT 10.0"))).toBe(
    "Edge sur Windows",
  );
  expect(deviceOf("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1")).toBe(
    "Safari sur iPhone",
  );
  expect(deviceOf("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0")).toBe(
    "Firefox sur Android",
  );
});

test("nothing of the header is kept but these words", () => {
  expect(deviceOf("<script>alert(1)</script> Firefox/1")).toBe("Firefox");
  expect([deviceOf(undefined), deviceOf("curl/8.0"), deviceOf("")]).toEqual(["", "", ""]);
});
