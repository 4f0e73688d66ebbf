/** Bundles the user interface: `renderer/` → `dist/renderer/`, which the server serves at `/`. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const root = join(import.meta.dirname, '..')

export default defineConfig({
  root: join(root, 'renderer'),
  // Relative, so that the same files also work under the desktop's own scheme.
  base: './',
  plugins: [react()],
  logLevel: 'warn',
  cacheDir: join(root, 'node_modules/.vite'),
  build: {
    outDir: join(root, 'dist/renderer'),
    emptyOutDir: true,
    target: ['chrome140', 'firefox140', 'safari18.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // It is one bundle on purpose, and comes from the same machine.
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { '/xrpc': { target: process.env.PDS_URL ?? 'http://localhost:2583', ws: true } },
  },
})
