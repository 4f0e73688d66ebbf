/**
 * `npm run conformance:report` measures this server and the reference server, and writes `.github/CONFORMANCE.md`.
 * `npm run conformance:report -- NAME FILE` keeps the results of another server from the output of `desktop-pds conformance --json`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirements } from '../../server/operation/conformance/requirements.ts'
import { measure, type Report } from '../../server/operation/conformance/runner.ts'
import { startSmtpServer } from '../support/services/smtp-server.ts'
import { createAccount } from './accounts.ts'
import { installReference } from './install.ts'
import { codesIn, type ReadCode } from './mailed-codes.ts'
import { adminPassword, directory, ownServer, type Program, referenceServer, root } from './processes.ts'
import { type Measured, reportPage } from './report-page.ts'

const peers = join(import.meta.dirname, 'peers')
const today = new Date().toISOString().slice(0, 10)

const [name, file, ...more] = process.argv.slice(2)
if ((name !== undefined && !file) || more.length > 0)
  refuse('Usage: npm run conformance:report [-- NAME FILE]')
if (name && file) keep(name, reportIn(file))
else
  writeFileSync(
    join(root, '.github/CONFORMANCE.md'),
    reportPage(requirements, [...(await references()), ...kept()]),
  )

function refuse(words: string): never {
  process.stderr.write(`${words}\n`)
  process.exit(2)
}

function reportIn(file: string): Report {
  let report: Report | undefined
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    refuse(`${file} cannot be read: ${(error as Error).message}`)
  }
  if (!Array.isArray(report?.results)) refuse(`${file} is no output of desktop-pds conformance --json.`)
  if (report.ended) refuse(`${file} is of a check that ended before its last requirement: ${report.ended}.`)
  return report
}

function keep(name: string, report: Report): void {
  const [slug = 'peer'] = name.toLowerCase().match(/[\w-]+/g) ?? []
  writeFileSync(join(peers, `${slug}.json`), `${JSON.stringify(measured(name, report), null, 1)}\n`)
}

function measured(name: string, { results }: Report): Measured {
  return {
    name,
    on: today,
    results: results.map(({ id, outcome, reason }) => ({
      id,
      outcome,
      ...(outcome === 'failed' && { reason }),
    })),
  }
}

function kept(): Measured[] {
  return globSync('*.json', { cwd: peers })
    .sort()
    .map((file) => JSON.parse(readFileSync(join(peers, file), 'utf8')))
}

async function references(): Promise<Measured[]> {
  const reference = await installReference()
  const smtp = await startSmtpServer()
  const plc = await directory(reference)
  const programs = [
    await ownServer(plc.url, smtp.url),
    await referenceServer(reference, plc.url, smtp.url, '11'.repeat(32)),
  ]
  try {
    const versions = [versionOf(root), versionOf(join(reference, 'node_modules/@atproto/pds'))]
    const names = [`Desktop PDS ${versions[0]}`, `@atproto/pds ${versions[1]}`]
    const all: Measured[] = []
    for (const [index, program] of programs.entries())
      all.push(measured(names[index] ?? '', await measureProgram(program, plc.url, codesIn(smtp.messages))))
    return all
  } finally {
    for (const program of [...programs, plc]) await program.remove()
    await smtp.close()
  }
}

async function measureProgram({ url }: Program, plcUrl: string, readCode: ReadCode): Promise<Report> {
  // The first account owns this server.
  await createAccount(url, 'carol')
  const { handle, password } = await createAccount(url, 'measured')
  const account = { identifier: handle, password }
  return measure({ url, plcUrl, adminPassword, readCode, creates: true, requirements, account })
}

function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}
