# SPDX-License-Identifier: GPL-3.0-or-later
# Recipe for Homebrew on Linux. packaging/release fills in the words in @ and puts
# the archive beside this file: brew install --formula ./schedsim.rb
class Schedsim < Formula
  desc "Simulator of GPU-cluster schedulers that replays real job traces"
  homepage "https://schedsim.invalid"
  url "file://#{__dir__}/@ARCHIVE@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "GPL-3.0-or-later"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "python" => :build
  depends_on "cjson"
  depends_on "curl"
  depends_on "glpk"
  depends_on "gsl"
  depends_on "jansson"
  depends_on "libcsv"
  depends_on "libmicrohttpd"
  depends_on "libyaml"
  depends_on :linux
  depends_on "nlopt"
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "xgboost"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "meson", "setup", "build", "-Dtests=disabled", "-Dreport=disabled",
           "-Dfast_start=false", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    system bin/"schedsim", "run", pkgshare/"traces/samples/venus.csv", "--jobs", "100"
  end
end
