/** A triangulated surface in the memory of the graphics card. */

import type { SurfaceMesh } from "../../stream/isosurface/decode";

const ATTRIBUTES = { position: 0, normal: 1, value: 2 } as const;

/** Declarations of the vertex attributes. */
export const ATTRIBUTE_DECLARATIONS = `
layout(location = ${ATTRIBUTES.position}) in vec3 vertexPosition;  // [m]
layout(location = ${ATTRIBUTES.normal}) in vec3 vertexNormal;
layout(location = ${ATTRIBUTES.value}) in float vertexValue;       // 0 to 1 from the lowest to the highest colour`;

export class SurfaceBuffer {
  mesh: SurfaceMesh | null = null;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffers: readonly WebGLBuffer[];
  private readonly indices: WebGLBuffer;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.array = gl.createVertexArray();
    this.buffers = Object.values(ATTRIBUTES).map(() => gl.createBuffer());
    this.indices = gl.createBuffer();
  }

  upload(mesh: SurfaceMesh): void {
    if (this.mesh === mesh) return;
    this.mesh = mesh;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    const layout = [
      [ATTRIBUTES.position, mesh.positions, 3, gl.FLOAT, false, 12],
      [ATTRIBUTES.normal, mesh.normals, 3, gl.SHORT, true, 8],
      [ATTRIBUTES.value, mesh.colors, 1, gl.UNSIGNED_BYTE, true, 1],
    ] as const;
    for (const [attribute, data, count, type, normalized, stride] of layout) {
      if (!data) {
        gl.disableVertexAttribArray(attribute);
        gl.vertexAttrib1f(attribute, 0);
        continue;
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[attribute] as WebGLBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, count, type, normalized, stride, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.DYNAMIC_DRAW);
    gl.bindVertexArray(null);
  }

  draw(): void {
    if (!this.mesh) return;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.drawElements(gl.TRIANGLES, this.mesh.triangles.length, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
  }

  free(): void {
    this.gl.deleteVertexArray(this.array);
    for (const buffer of [...this.buffers, this.indices]) this.gl.deleteBuffer(buffer);
  }
}
