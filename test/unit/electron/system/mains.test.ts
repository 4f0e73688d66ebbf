import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

import { isMainsOff } from '../../../../electron/system/mains.ts'

const folder = mkdtempSync(join(tmpdir(), 'pds-supplies-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function supply(name: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`)
}

test('mains are off if a machine has an adapter, and none of them is connected', () => {
  expect(isMainsOff(folder)).toBe(false)
  supply('BAT0', { type: 'Battery' })
  expect(isMainsOff(folder)).toBe(false)
  supply('AC', { type: 'Mains', online: '0' })
  expect(isMainsOff(folder)).toBe(true)
  supply('ADP1', { type: 'Mains', online: '1' })
  expect(isMainsOff(folder)).toBe(false)
})

test('a machine that does not say counts as connected', () => {
  expect(isMainsOff(join(folder, 'missing'))).toBe(false)
})
