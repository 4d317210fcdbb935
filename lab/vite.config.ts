import { defineConfig } from "vite";

// The built page goes into the Python package, so that users need no Node. `npm run dev` serves the sources and
// hands /api to a server started with `eddyline serve --port 8000`.
export default defineConfig({
  base: "./",
  assetsInclude: ["**/*.eiso"], // surfaces that tests read
  build: {
    outDir: "../python/eddyline/serve/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 2048,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: "assets/[name].js" } } },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
});
