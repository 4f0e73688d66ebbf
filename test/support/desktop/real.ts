/** Drives the real Electron, through Playwright. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { _electron } from 'playwright'
import { type Driven, type LaunchOptions, mainFile, root } from './desktop.ts'
import type { Probe } from './probe.ts'

export async function launchElectron(binary: string, { env, args }: LaunchOptions): Promise<Driven> {
  const electronApp = await _electron.launch({
    executablePath: binary,
    // Otherwise Playwright adds --no-sandbox on Linux.
    chromiumSandbox: process.getuid?.() !== 0,
    args: await argumentsOf(args),
    env: { ...(process.env as Record<string, string>), ...env },
    cwd: root,
  })
  const child = electronApp.process()
  return {
    page: async () => electronApp.windows()[0] ?? electronApp.waitForEvent('window'),
    probe: (name, ...given) =>
      electronApp.evaluate(
        (_, [method, values]) =>
          (globalThis.desktopProbe[method as keyof Probe] as (...values: unknown[]) => unknown)(...values),
        [name, given] as const,
      ),
    signal: (name) => child.kill(name),
    exited: new Promise((resolve) => child.once('exit', resolve)),
  }
}

/** Runs a start that exits by itself, which Playwright cannot wait for. @returns the exit code */
export async function runElectron(binary: string, { env, args }: LaunchOptions): Promise<number | null> {
  const child = spawn(binary, await argumentsOf(args), { env: { ...process.env, ...env }, cwd: root })
  return new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
}

/** As root Chromium runs only without its sandbox. A prompt of the system's keyring would wait forever. */
async function argumentsOf(args: readonly string[]): Promise<string[]> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return [...sandbox, '--use-mock-keychain', '--password-store=basic', await writeEntry(), ...args]
}

/** Writes a main file that imports the probe, then the app. The probe's types are stripped. */
async function writeEntry(): Promise<string> {
  const probe = await readFile(join(import.meta.dirname, 'probe.ts'), 'utf8')
  const entry = join(await mkdtemp(join(tmpdir(), 'pds-entry-')), 'entry.mjs')
  const start = `await import(${JSON.stringify(pathToFileURL(mainFile).href)})`
  await writeFile(entry, `${stripTypeScriptTypes(probe)}\n${start}\n`)
  return entry
}
