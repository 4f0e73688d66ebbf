/**
 * A stub of Electron's distribution, so that electron-builder runs without the download: the files that it reads, and an
 * executable with a fuse wire.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `@electron/fuses` searches for this. The version of the wire, its length and one character per fuse follow. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
/** The fuses as Electron ships them: run as Node, cookie encryption, NODE_OPTIONS, inspect, asar integrity, only asar, snapshot, file privileges. */
const shipped = '10110001'

/** @param folder receives the distribution for Linux */
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
