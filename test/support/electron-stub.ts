/**
 * A stand-in for Electron's distribution, with which electron-builder can be tried where the real one cannot be had: the files that
 * it looks for, and in the executable the place where fuses are.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What `@electron/fuses` looks for; then come the version of the wire, its length, and a character a fuse. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
/** As Electron ships them: run as Node, cookie encryption, NODE_OPTIONS, inspect, asar integrity, only asar, snapshot, file privileges. */
const shipped = '10110001'

/** @param folder gets the distribution for Linux */
export function writeElectronStub(folder: string): void {
  const wire = Buffer.concat([Buffer.of(1, shipped.length), Buffer.from(shipped)])
  const files = {
    electron: Buffer.concat([Buffer.from(`#!/bin/sh\nexit 1\n# ${sentinel}`), wire]),
    'chrome-sandbox': '',
    'locales/en-US.pak': '',
    'locales/de.pak': '',
    LICENSE: '',
    'LICENSES.chromium.html': '',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  chmodSync(join(folder, 'electron'), 0o755)
}
