import { fileURLToPath } from "node:url";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const serverUrl = process.env["SERVER_URL"] ?? "http://localhost:3000";
const serverPaths = ["/auth", "/filtres", "/vinted", "/purchase", "/articles"];

export default defineConfig({
  root: fileURLToPath(new URL("src/web", import.meta.url)),
  plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
  // The server puts a fresh nonce in the place of this word in each page that it answers.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: fileURLToPath(new URL("dist/web", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    // The content policy allows no data: address but for pictures.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      ...Object.fromEntries(serverPaths.map((path) => [path, { target: serverUrl }])),
      "/socket.io": { target: serverUrl, ws: true },
    },
  },
});
