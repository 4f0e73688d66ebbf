/** How tests run: `npm run vitest -- test/a.test.ts` runs some of them. */
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
