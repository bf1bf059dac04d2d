// Rolls the declarations up into one file per module system.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/**
 * Writes `index.d.ts` and `index.d.cts`. They are one text: a tree of files would have to exist twice,
 * since a CommonJS declaration may not import the declarations of an ES module.
 */
export async function bundleDeclarations({ packageDir, distDir }) {
  const bundle = await rollup({
    input: join(packageDir, 'src/index.ts'),
    plugins: [dts({ tsconfig: join(packageDir, 'tsconfig.build.json') })],
    onLog(level, log) {
      if (level === 'warn') throw new Error(`declarations: ${log.message}`)
    },
  })
  await bundle.write({ file: join(distDir, 'index.d.ts'), format: 'es' })
  await bundle.close()
  copyFileSync(join(distDir, 'index.d.ts'), join(distDir, 'index.d.cts'))
}
