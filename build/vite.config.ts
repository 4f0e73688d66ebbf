/** Bundles the user interface: `renderer/` → `dist/renderer/`, served at `/`, with the licences of all packages of the program. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { notices } from './notices.ts'

const root = join(import.meta.dirname, '..')

export default defineConfig({
  root: join(root, 'renderer'),
  // Relative, because the desktop loads the same files from `app://pds/`.
  base: './',
  plugins: [react(), notices()],
  logLevel: 'warn',
  cacheDir: join(root, 'node_modules/.vite'),
  build: {
    outDir: join(root, 'dist/renderer'),
    emptyOutDir: true,
    target: ['chrome140', 'firefox140', 'safari18.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One bundle on purpose: it is loaded from the same machine. Cryptography that few need is a second one.
    chunkSizeWarningLimit: 1100,
  },
  server: {
    proxy: { '/xrpc': { target: process.env.PDS_URL ?? 'http://localhost:2583', ws: true } },
  },
})
