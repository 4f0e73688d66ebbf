/** Servers for copies, from Debian: Apache and rclone with WebDAV, OpenStack Swift with S3, which checks signatures. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlaceCredentials } from '../../server/operation/replicas/places/place.ts'
import { sign } from '../../server/operation/replicas/places/sigv4.ts'
import { poll } from './poll.ts'
import { freePort } from './processes.ts'

export interface PlaceProgram {
  readonly name: string
  readonly port: number
  readonly credentials: PlaceCredentials
  /** The address of the place behind another port. */
  address(port: number): string
  close(): Promise<void>
}

const user = 'anna'
const password = 'pass: wörd'

/** Starts programs in a folder of their own, and waits until a port of them responds. */
async function start(
  port: number,
  folder: string,
  commands: readonly (readonly [command: string, ...args: string[]])[],
): Promise<() => Promise<void>> {
  const children: ChildProcess[] = []
  for (const [command, ...args] of commands) {
    const child = spawn(command, args, { cwd: folder, stdio: 'ignore' })
    child.once('error', (error) =>
      process.stderr.write(`${command}: ${error.message}. Install apache2, rclone, swift-*.\n`),
    )
    children.push(child)
  }
  const end = () => {
    for (const child of children) child.kill('SIGTERM')
  }
  process.once('exit', end)
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => undefined,
    )
  const close = async () => {
    const ended = children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit'))
    end()
    const limit = setTimeout(() => {
      for (const child of children) child.kill('SIGKILL')
    }, 5000)
    await Promise.all(ended)
    clearTimeout(limit)
    await rm(folder, { recursive: true, force: true })
  }
  // Swift takes a minute on a slow computer.
  await poll(isUp, () => `${commands.at(-1)?.[0]} does not respond`, 240_000).catch(async (error) => {
    await close()
    throw error
  })
  return close
}

const newFolder = () => mkdtemp(join(tmpdir(), 'interop-place-'))
const webdavAddress = (port: number) => `webdav+http://${user}@127.0.0.1:${port}/dav/my%20c%C3%B6py`

export async function startApache(): Promise<PlaceProgram> {
  const port = await freePort()
  const folder = await newFolder()
  await mkdir(join(folder, 'files/dav'), { recursive: true })
  const hash = createHash('sha1').update(password).digest('base64')
  await writeFile(join(folder, 'users'), `${user}:{SHA}${hash}\n`)
  spawnSync('chown', ['-R', 'www-data', folder])
  const modules = [
    'authn_core',
    'authn_file',
    'authz_core',
    'authz_user',
    'auth_basic',
    'mpm_event',
    'dav',
    'dav_fs',
  ]
  const settings = [
    ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    ...['ServerName localhost', `Listen 127.0.0.1:${port}`, 'User www-data', 'Group www-data'],
    ...[`PidFile ${folder}/pid`, `ErrorLog ${folder}/errors`, `DocumentRoot ${folder}/files`],
    ...[`DavLockDB ${folder}/locks`, '<Location /dav>', 'Dav On', 'AuthType Basic', 'AuthName files'],
    ...[`AuthUserFile ${folder}/users`, 'Require valid-user', '</Location>', ''],
  ]
  await writeFile(join(folder, 'apache.conf'), settings.join('\n'))
  const command = ['apache2', '-d', folder, '-f', join(folder, 'apache.conf'), '-DFOREGROUND'] as const
  const close = await start(port, folder, [command])
  return { name: 'Apache mod_dav', port, credentials: { password }, address: webdavAddress, close }
}

export async function startRclone(): Promise<PlaceProgram> {
  const port = await freePort()
  const folder = await newFolder()
  const options = ['--addr', `127.0.0.1:${port}`, '--user', user, '--pass', password, '--config', '/dev/null']
  const close = await start(port, folder, [['rclone', 'serve', 'webdav', folder, ...options]])
  return { name: 'rclone', port, credentials: { password }, address: webdavAddress, close }
}

export async function startSwift(): Promise<PlaceProgram> {
  const folder = await newFolder()
  await mkdir(join(folder, 'devices/d1'), { recursive: true })
  await writeFile(
    join(folder, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n[storage-policy:0]\nname = one\ndefault = yes\n',
  )
  const defaults = (port: number) =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nuser = ${process.env.USER ?? 'root'}\nswift_dir = ${folder}\nworkers = 0\n`
  const commands: [string, ...string[]][] = []
  for (const part of ['account', 'container', 'object']) {
    const port = await freePort()
    const ring = (...args: string[]) =>
      spawnSync('swift-ring-builder', [join(folder, `${part}.builder`), ...args])
    ring('create', '4', '1', '1')
    ring('add', `r1z1-127.0.0.1:${port}/d1`, '1')
    ring('rebalance')
    const file = join(folder, `${part}.conf`)
    const own = `devices = ${folder}/devices\nmount_check = false\n[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`
    await writeFile(file, defaults(port) + own)
    commands.push([`swift-${part}-server`, file])
  }
  const port = await freePort()
  // The proxy avoids a server for a minute that was not up at its first request.
  const filters = ['catch_errors', 'gatekeeper', 'memcache', 'listing_formats', 's3api', 'tempauth']
  const sections = filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')
  await writeFile(
    join(folder, 'proxy.conf'),
    `${defaults(port)}[pipeline:main]\npipeline = ${filters.join(' ')} proxy-server\n[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\nerror_suppression_limit = 1000000\n${sections}user_test_tester = testing .admin\n`,
  )
  const close = await start(port, folder, [...commands, ['swift-proxy-server', join(folder, 'proxy.conf')]])
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
  const makeBucket = async () => {
    const url = new URL(`http://127.0.0.1:${port}/copies`)
    const headers = sign({ region: 'us-east-1', ...credentials }, { method: 'PUT', url, at: new Date() })
    const { status } = await fetch(url, { method: 'PUT', headers: headers as Record<string, string> })
    return status === 200 || undefined
  }
  await poll(makeBucket, () => 'the bucket is not created')
  const address = (port: number) => `s3://copies/my%20c%C3%B6py?endpoint=http://127.0.0.1:${port}`
  return { name: 'OpenStack Swift', port, credentials, address, close }
}
