import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { dataDirOf } from '../../../../server/operation/cli/command.ts'
import { readConfig } from '../../../../server/platform/config/config.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['~/pds', join(homedir(), 'pds')],
  ['~', homedir()],
  ['./pds', resolve('pds')],
  ['/srv/~pds', resolve('/srv/~pds')],
])('the data folder %s of a command is that of the server', (given, folder) => {
  expect(dataDirOf(given)).toBe(folder)
  vi.stubEnv('PDS_DATA_DIR', given)
  expect(dataDirOf(undefined)).toBe(folder)
  expect(readConfig({ env: { PDS_DATA_DIR: given }, args: [] }).dataDir).toBe(folder)
})
