/** Textures that water is drawn from: colour and depth of the scene behind it, and how much water each line of sight crosses. */

import { createTexture } from "../gl";

export class WaterTargets {
  /** False if the browser cannot add up numbers in a texture; water is then drawn like other surfaces. */
  readonly isSupported: boolean;
  readonly color: WebGLTexture;
  readonly depth: WebGLTexture;
  readonly thickness: WebGLTexture;
  private readonly sceneFrame: WebGLFramebuffer;
  private readonly thicknessFrame: WebGLFramebuffer;
  private readonly isFloat: boolean;
  private size: readonly [number, number] = [0, 0];

  constructor(private readonly gl: WebGL2RenderingContext) {
    const hasFloat = gl.getExtension("EXT_color_buffer_float") !== null;
    this.isFloat = hasFloat && gl.getExtension("EXT_float_blend") !== null;
    this.isSupported = hasFloat || gl.getExtension("EXT_color_buffer_half_float") !== null;
    this.color = createTexture(gl, gl.LINEAR);
    this.depth = createTexture(gl, gl.NEAREST);
    this.thickness = createTexture(gl, gl.NEAREST);
    this.sceneFrame = gl.createFramebuffer();
    this.thicknessFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.sceneFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.color, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.thicknessFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.thickness, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Draws into colour and depth of the scene. */
  drawScene(width: number, height: number, draw: () => void): void {
    const { gl } = this;
    this.resize(width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.sceneFrame);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    draw();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Adds up what is drawn, without a depth test. */
  drawThickness(draw: () => void): void {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.thicknessFrame);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE);
    draw();
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  private resize(width: number, height: number): void {
    if (this.size[0] === width && this.size[1] === height) return;
    this.size = [width, height];
    const { gl } = this;
    const allocate = (texture: WebGLTexture, inner: number, format: number, type: number): void => {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, null);
    };
    allocate(this.color, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE);
    allocate(this.depth, gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT);
    if (this.isFloat) allocate(this.thickness, gl.RG32F, gl.RG, gl.FLOAT);
    else allocate(this.thickness, gl.RGBA16F, gl.RGBA, gl.HALF_FLOAT);
  }
}
