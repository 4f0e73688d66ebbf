/** Vitest's configuration. `npm run vitest -- test/a.test.ts` runs some files, `npm run coverage` measures the server. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..')

// The processes and threads that tests start load the same hundreds of modules again. The cache compares their content.
if (!process.env.PDS_COVERAGE_DIR) process.env.NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/node')

/** The files that take the most CPU time, most first. They start first, so that no worker runs one alone at the end. */
const longest = [
  'test/unit/store/database/faults.test.ts',
  'test/e2e/desktop/adverse.test.ts',
  'test/e2e/desktop-screens/copies.test.ts',
  'test/e2e/network.test.ts',
  'test/access/from-where.test.ts',
  'test/access/with-which-token.test.ts',
  'test/fuzz/methods.test.ts',
  'test/e2e/desktop/start.test.ts',
  'test/access/statuses.test.ts',
  'test/simulate/simulate.test.ts',
  'test/e2e/notifications.test.ts',
  'test/e2e/accessibility.test.ts',
  'test/package-playwright.test.ts',
  'test/guide.test.ts',
  'test/fuzz/bytes.test.ts',
  'test/e2e/apps.test.ts',
  'test/e2e/owner.test.ts',
  'test/e2e/desktop/bridge.test.ts',
  'test/e2e/desktop/tunnel.test.ts',
  'test/e2e/desktop/copies.test.ts',
  'test/crash/crash.test.ts',
  'test/simulate/uncaught.test.ts',
  'test/e2e/move.test.ts',
  'test/e2e/desktop-screens/backups.test.ts',
  'test/e2e/desktop/window.test.ts',
].map((file) => join(root, file))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longest.includes(moduleId)
    const first = sorted
      .filter(isLong)
      .toSorted((a, b) => longest.indexOf(a.moduleId) - longest.indexOf(b.moduleId))
    return [...first, ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  root,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'build/test-servers.ts',
    // More workers than cores: many tests wait for a page, a process or the disk. By default Vitest keeps one core free.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A worker loads the server once, and its code stays compiled: halves the CPU time. No module keeps state for one file.
    isolate: false,
    // Each server reserves 128 MiB for its database. By default V8 collects the whole heap for that, at each start of a server.
    execArgv: ['--external-memory-accounted-in-global-limit', '--initial-old-space-size=1024'],
    sequence: { sequencer: LongestFirst },
    // Limits for tests that hang, not bounds on speed: no assertion depends on the speed of the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['server/**/*.ts'],
      // Read by build/coverage.ts.
      reporter: ['json'],
      reportOnFailure: true,
    },
    // Set in the workers, not before they start: Vitest itself measures the code in them.
    env: process.env.PDS_COVERAGE_DIR ? { NODE_V8_COVERAGE: process.env.PDS_COVERAGE_DIR } : {},
  },
})
